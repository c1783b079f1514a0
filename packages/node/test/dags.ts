import * as dagPb from '@ipld/dag-pb'
import { MARKERS } from '@ipfsz/core'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Blockstore } from 'interface-blockstore'

/** The codec of a link to a block: its own, raw, or a marker. */
export type Twin = 'own' | 'raw' | 'marked'

/** A link to an earlier block. */
export interface RandomLink {
  /** Which earlier block, counted back from the last, modulo their number. */
  to: number
  twin: Twin
}

export interface RandomDag {
  /** What each block links to, unless it is a leaf. */
  blocks: Array<{ links: RandomLink[], leaf: boolean, inline: boolean }>
  pins: Array<RandomLink & { depth: number }>
}

export interface DagBlock {
  cid: CID
  bytes: Uint8Array
}

const twin = fc.constantFrom<Twin>('own', 'raw', 'marked')
// mostly the blocks just before, so that the DAG is deep
const to = fc.oneof(fc.nat(2), fc.nat(13))
const link = fc.record({ to, twin })
const seldom = fc.integer({ min: 0, max: 5 }).map(n => n === 0)

export const randomDag: fc.Arbitrary<RandomDag> = fc.record({
  blocks: fc.array(
    fc.record({ links: fc.array(link, { minLength: 1, maxLength: 2 }), leaf: seldom, inline: seldom }),
    { minLength: 1, maxLength: 14 }
  ),
  pins: fc.array(fc.record({ to, twin, depth: fc.oneof(fc.constant(Infinity), fc.nat(5)) }), {
    minLength: 1,
    maxLength: 4
  })
})

/** Make the blocks of a DAG. The first is a leaf, and nodes link to earlier blocks. */
export async function makeBlocks ({ blocks }: RandomDag): Promise<DagBlock[]> {
  const made: DagBlock[] = []

  for (const [i, { links, leaf, inline }] of blocks.entries()) {
    const isLeaf = leaf || made.length === 0
    // the number makes all blocks different
    const bytes = isLeaf ? Buffer.from(`leaf ${i}`) : encodeNode(i, links.map(link => cidOf(link, made)))
    const code = isLeaf ? raw.code : dagPb.code
    const isInline = inline && bytes.byteLength <= 128

    made.push({ cid: CID.createV1(code, isInline ? identity.digest(bytes) : await sha256.digest(bytes)), bytes })
  }

  return made
}

export function encodeNode (number: number, links: readonly CID[]): Uint8Array {
  const data = new UnixFS({ type: 'file', data: Uint8Array.of(number) }).marshal()

  return dagPb.encode(dagPb.prepare({ Data: data, Links: links.map((Hash, i) => ({ Name: `${i}`, Hash, Tsize: 1 })) }))
}

/** The CID in a link. Only nodes are marked. */
export function cidOf ({ to, twin }: RandomLink, made: readonly DagBlock[]): CID {
  const { cid } = made[made.length - 1 - to % made.length]

  if (twin === 'raw') {
    return CID.createV1(raw.code, cid.multihash)
  }

  return twin === 'marked' && cid.code === dagPb.code ? CID.createV1(MARKERS.zstd, cid.multihash) : cid
}

export async function putBlocks (made: readonly DagBlock[], blockstore: Pick<Blockstore, 'put'>): Promise<void> {
  for (const { cid, bytes } of made) {
    if (cid.multihash.code !== identity.code) {
      await blockstore.put(cid, bytes)
    }
  }
}

/** The blocks that a CID reaches, as multihashes in hex. The slow and obvious way: it follows every path. */
export function reachable (cid: CID, depth: number, made: readonly DagBlock[]): Set<string> {
  const found = new Set<string>()
  const follow = (cid: CID, depth: number): void => {
    const bytes = made.find(block => nameOf(block.cid) === nameOf(cid))?.bytes ?? new Uint8Array(0)

    if (cid.multihash.code !== identity.code) {
      found.add(nameOf(cid))
    }

    if (cid.code !== raw.code && depth > 0) {
      dagPb.decode(bytes).Links.forEach(({ Hash }) => { follow(Hash, depth - 1) })
    }
  }

  follow(cid, depth)

  return found
}

export function nameOf (cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('hex')
}
