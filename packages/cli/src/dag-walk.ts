import { markerCodecs, unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { DamagedDagError, DamagedBlockError, MissingBlockError, UnknownBlockError } from './errors.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How many blocks are fetched at one time. */
const CONCURRENCY = 16

export type WalkStore = Pick<IpfszComponents['blockstore'], 'get' | 'has'>

export interface WalkOptions {
  signal: AbortSignal
  /** What to do about blocks without links: look whether they are there, read them, or nothing. */
  leaves: 'has' | 'read' | 'skip'
  /** The multihashes of what has been walked, which is not walked again. */
  seen?: Set<string>
}

export interface WalkedBlock {
  cid: CID
  /** Not those of leaves, where they are not read. */
  bytes?: Uint8Array
}

const DAG_PB = 0x70
/** What is behind a marker is dag-pb. */
const [dagPb] = markerCodecs

/**
 * Every block below a root, each once, and the root before all. Blocks that are
 * read are compared with their hash: what a damaged one links to is not known.
 *
 * @throws {DamagedDagError} a block is not there, or damaged: the cause says which
 */
export async function * walkDag (root: CID, blockstore: WalkStore, { signal, leaves, seen = new Set() }: WalkOptions): AsyncGenerator<WalkedBlock> {
  const waiting: CID[] = []
  const enter = (cid: CID): void => {
    const key = keyOf(cid)

    if (!seen.has(key)) {
      seen.add(key)
      waiting.push(cid)
    }
  }

  enter(unmark(root))

  while (waiting.length > 0) {
    signal.throwIfAborted()
    // from the end, so that what waits stays short
    const blocks = await Promise.all(waiting.splice(-CONCURRENCY).map(async cid => visit(cid, leaves, blockstore, signal)))
      .catch((err: unknown) => { throw signal.aborted ? signal.reason : new DamagedDagError(root, err) })

    for (const { links, ...block } of blocks) {
      links.toReversed().forEach(enter)
      yield block
    }
  }
}

/** What blocks are told apart by: stores know nothing of a CID but its multihash. */
export function keyOf (cid: CID): string {
  return hashKey(cid.multihash.bytes)
}

/** The same, by the bytes of a multihash. */
export function hashKey (multihash: Uint8Array): string {
  return Buffer.from(multihash.buffer, multihash.byteOffset, multihash.byteLength).toString('latin1')
}

/**
 * Whether bytes are those that a CID names.
 *
 * @throws {UnknownBlockError} the hash is one that is not known here
 */
export async function matches (cid: CID, bytes: Uint8Array): Promise<boolean> {
  const hasher = [sha256, identity, sha512].find(({ code }) => code === cid.multihash.code)

  if (hasher == null) {
    throw new UnknownBlockError(cid, `a hash of the kind 0x${cid.multihash.code.toString(16)}`)
  }

  const { digest } = await hasher.digest(bytes)

  return Buffer.from(digest).equals(cid.multihash.digest)
}

async function visit (cid: CID, leaves: WalkOptions['leaves'], blockstore: WalkStore, signal: AbortSignal): Promise<WalkedBlock & { links: CID[] }> {
  if (cid.multihash.code === identity.code) {
    // the CID holds the block
    return { cid, bytes: cid.multihash.digest, links: linksOf(cid, cid.multihash.digest) }
  }

  if (cid.code === raw.code && leaves !== 'read') {
    if (leaves === 'has' && !await blockstore.has(cid, { signal })) {
      throw new MissingBlockError(cid)
    }

    return { cid, links: [] }
  }

  const bytes = await read(cid, blockstore, signal)

  if (!await matches(cid, bytes)) {
    throw new DamagedBlockError(cid)
  }

  return { cid, bytes, links: linksOf(cid, bytes) }
}

async function read (cid: CID, blockstore: WalkStore, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []

  try {
    for await (const piece of blockstore.get(cid, { signal })) {
      pieces.push(piece)
    }
  } catch (err) {
    throw err instanceof Error && err.name === 'NotFoundError' ? new MissingBlockError(cid, { cause: err }) : err
  }

  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
}

/** What a block links to. */
export function linksOf (cid: CID, bytes: Uint8Array): CID[] {
  if (cid.code === raw.code) {
    return []
  }

  if (unmark(cid).code !== DAG_PB) {
    throw new UnknownBlockError(cid, `the codec 0x${cid.code.toString(16)}`)
  }

  return dagPb.decode(bytes).Links.map(({ Hash }) => Hash)
}
