import { createHash } from 'node:crypto'

/**
 * The nodes that a CID falls to, the first one first, by rendezvous hashing: each node weighs each CID, and the
 * heaviest win. All who know the same nodes choose the same ones, and a node that comes or goes only changes what falls
 * to it.
 *
 * @param key - any bytes that stand for the CID, such as its multihash
 * @param nodes - peer ids in any order
 */
export function ownersOf (key: Uint8Array, nodes: readonly string[], count: number): string[] {
  return nodes
    .map(node => ({ node, weight: weightOf(key, node) }))
    .toSorted((a, b) => Buffer.compare(b.weight, a.weight))
    .slice(0, count)
    .map(({ node }) => node)
}

function weightOf (key: Uint8Array, node: string): Buffer {
  return createHash('sha256').update(node).update('\0').update(key).digest()
}
