import { checkBlock, checkHash, isIdentity, markerCodecs, NotUnixFSError, unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { DamagedDagError, MissingBlockError, UnknownBlockError } from './errors.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How many blocks are fetched at one time. */
const CONCURRENCY = 16

export type WalkStore = Pick<IpfszComponents['blockstore'], 'get' | 'has'>

export interface WalkOptions {
  signal: AbortSignal
  /** What to do about blocks without links: look whether they are there, read them, or nothing. */
  leaves: 'has' | 'read' | 'skip'
  /** How many levels below the root to walk, by default all. A block of the last level counts as one without links. */
  depth?: number
  /** What other walks have reached, which is not walked again. After a walk that failed it is of no use any more. */
  reached?: Reached
}

/**
 * What walks have reached. A block is kept by its multihash, and walked by its codec
 * besides: whoever links to the bytes of a node as raw makes a leaf of them.
 */
export class Reached {
  readonly #blocks = new Set<string>()
  /** Nodes of dag-pb, marked or not, and how many levels below them have been walked. */
  readonly #walked = new Map<string, number>()

  /**
   * Note that a CID is reached, with so many levels below it that are to be walked.
   *
   * @returns whether its block is reached for the first time, undefined where all of this
   *   was done before
   */
  add (cid: CID, levels: number): boolean | undefined {
    const key = keyOf(cid)
    const isNew = !this.#blocks.has(key)

    this.#blocks.add(key)

    if (isLeaf(cid) || levels === 0) {
      return isNew ? true : undefined
    }

    if (isDagPb(cid)) {
      if ((this.#walked.get(key) ?? 0) >= levels) {
        return undefined
      }

      this.#walked.set(key, levels)
    }

    return isNew
  }

  /** Whether the block of a multihash is reached. */
  has (multihash: Uint8Array): boolean {
    return this.#blocks.has(hashKey(multihash))
  }
}

export interface WalkedBlock {
  cid: CID
  /** Not those of leaves, where they are not read. */
  bytes?: Uint8Array
}

/** A block that is to be visited. */
interface Waiting {
  cid: CID
  /** How many levels below it are to be walked. */
  levels: number
  /** Whether it is reached for the first time. */
  isNew: boolean
}

const DAG_PB = 0x70
/** What is behind a marker is dag-pb. */
const [dagPb] = markerCodecs

/**
 * Every block below a root, each once, and the root before all. A block that is linked
 * under two codecs is walked under both. Blocks that are read are compared with their
 * hash: what a damaged one links to is not known. What CIDs hold themselves is walked,
 * and is no block.
 *
 * @throws {DamagedDagError} a block is not there, damaged, or not UnixFS: the cause says which
 */
export async function * walkDag (root: CID, blockstore: WalkStore, { signal, leaves, depth = Infinity, reached = new Reached() }: WalkOptions): AsyncGenerator<WalkedBlock> {
  const waiting: Waiting[] = []
  const enter = (cid: CID, levels: number): void => {
    if (isIdentity(cid) && isLeaf(cid)) {
      // it may be long, and there is nothing to note
      return
    }

    const isNew = reached.add(cid, levels)

    if (isNew != null) {
      waiting.push({ cid, levels, isNew })
    }
  }

  enter(unmark(root), depth)

  while (waiting.length > 0) {
    signal.throwIfAborted()
    // from the end, so that what waits stays short
    const batch = waiting.splice(-CONCURRENCY)
    const blocks = await Promise.all(batch.map(async ({ cid, levels }) => visit(cid, levels > 0, leaves, blockstore, signal)))
      .catch((err: unknown) => { throw signal.aborted ? signal.reason : new DamagedDagError(root, err) })

    for (const [i, { links, ...block }] of blocks.entries()) {
      links.toReversed().forEach(link => { enter(link, batch[i].levels - 1) })

      if (batch[i].isNew && !isIdentity(block.cid)) {
        yield block
      }
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

function isLeaf (cid: CID): boolean {
  return cid.code === raw.code
}

function isDagPb (cid: CID): boolean {
  return unmark(cid).code === DAG_PB
}

async function visit (cid: CID, withLinks: boolean, leaves: WalkOptions['leaves'], blockstore: WalkStore, signal: AbortSignal): Promise<WalkedBlock & { links: CID[] }> {
  const hasLinks = withLinks && !isLeaf(cid)

  if (hasLinks && !isDagPb(cid)) {
    throw new UnknownBlockError(cid, `the codec 0x${cid.code.toString(16)}`)
  }

  if (leaves !== 'skip') {
    // also of what is not read: nobody could
    checkHash(cid)
  }

  if (isIdentity(cid)) {
    checkHash(cid)
    return { cid, links: hasLinks ? linksOf(cid, cid.multihash.digest) : [] }
  }

  if (!hasLinks && leaves !== 'read') {
    if (leaves === 'has' && !await blockstore.has(cid, { signal })) {
      throw new MissingBlockError(cid)
    }

    return { cid, links: [] }
  }

  const bytes = await read(cid, blockstore, signal)
  await checkBlock(cid, bytes)

  return { cid, bytes, links: hasLinks ? linksOf(cid, bytes) : [] }
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
  if (isLeaf(cid)) {
    return []
  }

  if (!isDagPb(cid)) {
    throw new UnknownBlockError(cid, `the codec 0x${cid.code.toString(16)}`)
  }

  try {
    return dagPb.decode(bytes).Links.map(({ Hash }) => Hash)
  } catch (err) {
    throw new NotUnixFSError(cid, 'it is not dag-pb', { cause: err })
  }
}
