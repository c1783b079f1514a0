import * as dagPb from '@ipld/dag-pb'
import { unmark } from '@ipfsz/core'
import { UnixFS } from 'ipfs-unixfs'
import { frameLengths } from './frame-lengths.ts'
import type { Source } from './read.ts'
import type { CID } from 'multiformats/cid'

/** A piece of the stored file: a leaf, or a compressed frame. */
export interface Piece {
  /** Offset in the stored bytes. */
  start: number
  length: number
}

export interface Leaf extends Piece {
  cid: CID
}

/** A file as it is stored. */
export interface FileDag {
  root: { cid: CID, length: number }
  /** Empty if the whole file is in its root. */
  leaves: Leaf[]
  /** Empty if the file is not compressed. */
  frames: Piece[]
  /** The number of blocks: root, leaves, and the nodes between them. */
  blocks: number
  /** Stored bytes, without the nodes around them. */
  length: number
  /** Whether there are more blocks than were read. */
  cut: boolean
}

/** The most blocks in a picture. Hostile DAGs link to the same nodes again and again. */
const MAX_DRAWN = 4096
/** Blocks that are fetched at a time. */
const MAX_FETCHES = 8

/** The blocks and frames of a file, from its root and the nodes between root and leaves. */
export async function describeDag (source: Source, cid: CID, signal?: AbortSignal): Promise<FileDag> {
  const root = { cid: unmark(cid), length: 0 }
  const leaves: Leaf[] = []
  let frames: Piece[] = []
  let length = 0
  let blocks = 0

  const walk = async (cid: CID, expected: number): Promise<void> => {
    blocks++

    if (cid.code !== dagPb.code && !cid.equals(root.cid)) {
      leaves.push({ cid, start: length, length: expected })
      length += expected
      return
    }

    const block = await getBlock(source, cid, signal == null ? {} : { signal })
    const { links, unixfs, data } = cid.code === dagPb.code ? decodeNode(block) : { links: [] }

    if (cid.equals(root.cid)) {
      root.length = block.byteLength
      frames = place(frameLengths(data ?? new Uint8Array(0)))
    }

    // data in the node itself, such as a small file in its root
    length += unixfs == null ? block.byteLength : unixfs.data?.byteLength ?? 0

    for (const [i, { Hash }] of links.entries()) {
      if (blocks < MAX_DRAWN) {
        await walk(Hash, Number(unixfs?.blockSizes[i] ?? 0))
      }
    }
  }

  await walk(root.cid, 0)

  return { root, leaves, frames, blocks, length, cut: blocks === MAX_DRAWN }
}

function place (lengths: readonly number[]): Piece[] {
  let end = 0

  return lengths.map(length => ({ start: (end += length) - length, length }))
}

/** Every stored block below a CID, the CID's own first, each once. */
export async function * blocksBelow (cid: CID, source: Source): AsyncGenerator<CID> {
  const seen = new Set<string>()
  const waiting = [unmark(cid)]

  for (let next = waiting.pop(); next != null; next = waiting.pop()) {
    if (seen.has(keyOf(next))) {
      continue
    }

    seen.add(keyOf(next))
    yield next

    if (next.code === dagPb.code && await source.has(next)) {
      waiting.push(...dagPb.decode(await getBlock(source, next)).Links.map(({ Hash }) => Hash))
    }
  }
}

/** Fetch every block below a CID, several at a time. A source with peers stores them. */
export async function fetchBlocks (
  cid: CID,
  source: Source,
  { signal, onBlock }: { signal: AbortSignal, onBlock: (blocks: number) => void }
): Promise<void> {
  const seen = new Set<string>()
  let waiting = [unmark(cid)]

  while (waiting.length > 0) {
    const next = waiting.splice(0, MAX_FETCHES).filter(cid => !seen.has(keyOf(cid)))
    next.forEach(cid => { seen.add(keyOf(cid)) })

    const links = await Promise.all(next.map(async cid => {
      const block = await getBlock(source, cid, { signal })

      return cid.code === dagPb.code ? dagPb.decode(block).Links.map(({ Hash }) => Hash) : []
    }))

    // depth first, so that the list stays short
    waiting = [...links.flat(), ...waiting]
    onBlock(seen.size)
  }
}

/** The key of a block in a blockstore: its hash, whatever the codec of the CID. */
export function keyOf ({ multihash }: CID): string {
  return multihash.bytes.join()
}

/** All bytes of a block. */
export async function getBlock (
  source: Source,
  cid: CID,
  options?: Parameters<Source['get']>[1]
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Array<Uint8Array<ArrayBuffer>> = []

  for await (const chunk of source.get(unmark(cid), options)) {
    chunks.push(chunk as Uint8Array<ArrayBuffer>)
  }

  return chunks.length === 1 && chunks[0] != null ? chunks[0] : new Uint8Array(await new Blob(chunks).arrayBuffer())
}

function decodeNode (block: Uint8Array): { links: dagPb.PBLink[], data?: Uint8Array, unixfs?: UnixFS } {
  const { Links: links, Data: data = new Uint8Array(0) } = dagPb.decode(block)

  return { links, data, unixfs: UnixFS.unmarshal(data) }
}
