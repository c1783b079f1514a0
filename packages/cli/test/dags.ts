import * as dagPb from '@ipld/dag-pb'
import { MARKERS } from '@ipfsz/core'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Blockstore } from 'interface-blockstore'

/** Under which codec a block is linked to: as what it is, as a leaf, or marked. */
export type Twin = 'own' | 'raw' | 'marked'

/** A link to one of the blocks before. */
export interface RandomLink {
  /** Which of those, counted back from the last, and round. */
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
// mostly those just before, so that there is much below them
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

/** The blocks of a DAG, the first a leaf, each of which links to some of those before. */
export async function makeBlocks ({ blocks }: RandomDag): Promise<DagBlock[]> {
  const made: DagBlock[] = []

  for (const [i, { links, leaf, inline }] of blocks.entries()) {
    const isLeaf = leaf || made.length === 0
    // no two are the same
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

/** The CID that a link names a block by. Only nodes are marked. */
export function cidOf ({ to, twin }: RandomLink, made: readonly DagBlock[]): CID {
  const { cid } = made[made.length - 1 - to % made.length]

  if (twin === 'raw') {
    return CID.createV1(raw.code, cid.multihash)
  }

  return twin === 'marked' && cid.code === dagPb.code ? CID.createV1(MARKERS['ipfsz-zstd'], cid.multihash) : cid
}

export async function putBlocks (made: readonly DagBlock[], blockstore: Pick<Blockstore, 'put'>): Promise<void> {
  for (const { cid, bytes } of made) {
    if (cid.multihash.code !== identity.code) {
      await blockstore.put(cid, bytes)
    }
  }
}

/** What a CID leads to, the slow and obvious way: every path is followed by itself. The multihashes, in hex. */
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
