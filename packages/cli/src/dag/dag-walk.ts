import { checkBlock, checkHash, decodeBlock, isIdentity, NotUnixFSError, unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { DamagedDagError, MissingBlockError, UnknownBlockError } from '../errors.ts'
import { MultihashMap } from './multihash-map.ts'
import { WaitingBlocks } from './waiting-blocks.ts'
import type { IpfszComponents, NodeLinks } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

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

/** What stands for all levels, and for as many as no DAG has: each is a block of its own. */
const ALL_LEVELS = 2 ** 32 - 1

/**
 * What walks have reached. A block is kept by its multihash, and walked by its codec
 * besides: whoever links to the bytes of a node as raw makes a leaf of them.
 */
export class Reached {
  /** How many levels below a block have been walked, as it is a node of dag-pb, marked or not. */
  readonly #walked = new MultihashMap()

  /**
   * Note that a CID is reached, with so many levels below it that are to be walked.
   *
   * @returns whether its block is reached for the first time, undefined where all of this
   *   was done before
   */
  add (cid: CID, levels: number): boolean | undefined {
    const { bytes } = cid.multihash
    const walked = this.#walked.get(bytes)
    const isNew = walked == null

    if (isLeaf(cid) || levels === 0 || !isDagPb(cid)) {
      if (isNew) {
        this.#walked.set(bytes, 0)
      }

      return isNew || (!isLeaf(cid) && levels > 0) ? isNew : undefined
    }

    const wanted = Math.min(levels, ALL_LEVELS)

    if (!isNew && walked >= wanted) {
      return undefined
    }

    this.#walked.set(bytes, wanted)

    return isNew
  }

  /** Whether the block of a multihash is reached. */
  has (multihash: Uint8Array): boolean {
    return this.#walked.get(multihash) != null
  }
}

export interface WalkedBlock {
  cid: CID
  /** Not those of leaves, where they are not read. */
  bytes?: Uint8Array
}

const DAG_PB = 0x70

/**
 * Every block below a root, each once, and the root before all. A block that is linked
 * under two codecs is walked under both. Blocks that are read are compared with their
 * hash: what a damaged one links to is not known. What CIDs hold themselves is walked,
 * and is no block.
 *
 * @throws {DamagedDagError} a block is not there, damaged, or not UnixFS: the cause says which
 */
export async function * walkDag (root: CID, blockstore: WalkStore, { signal, leaves, depth = Infinity, reached = new Reached() }: WalkOptions): AsyncGenerator<WalkedBlock> {
  const waiting = new WaitingBlocks()
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

  while (!waiting.isEmpty) {
    signal.throwIfAborted()
    // from the end, so that what waits stays short
    const batch = waiting.take()
    const blocks = await Promise.all(batch.map(async ({ cid, levels }) => visit(cid, levels > 0, leaves, blockstore, signal)))
      .catch((err: unknown) => { throw signal.aborted ? signal.reason : new DamagedDagError(root, err) })

    for (const [i, { links, ...block }] of blocks.entries()) {
      const levels = batch[i].levels - 1

      waiting.noteSize(block.bytes?.byteLength ?? 0)

      if (batch[i].isNew && !isIdentity(block.cid)) {
        yield block
      }

      for (const link of links) {
        if (leaves !== 'skip' || !isLeaf(link)) {
          enter(link, levels)
        } else if (!isIdentity(link) && reached.add(link, levels) === true) {
          // most blocks are leaves, and nothing is to be done about these
          yield { cid: link }
        }
      }
    }
  }
}

/** What blocks are told apart by: stores know nothing of a CID but its multihash. */
export function keyOf ({ multihash: { bytes } }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function isLeaf (cid: CID): boolean {
  return cid.code === raw.code
}

function isDagPb (cid: CID): boolean {
  return unmark(cid).code === DAG_PB
}

async function visit (cid: CID, withLinks: boolean, leaves: WalkOptions['leaves'], blockstore: WalkStore, signal: AbortSignal): Promise<WalkedBlock & { links: Iterable<CID> }> {
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

/** What a block links to, the last first: decoded one by one, as each is taken. */
export function linksOf (cid: CID, bytes: Uint8Array): Iterable<CID> {
  if (isLeaf(cid)) {
    return []
  }

  if (!isDagPb(cid)) {
    throw new UnknownBlockError(cid, `the codec 0x${cid.code.toString(16)}`)
  }

  try {
    return fromLast(decodeBlock(bytes).links)
  } catch (err) {
    throw new NotUnixFSError(cid, 'it is not dag-pb', { cause: err })
  }
}

function * fromLast (links: NodeLinks): Generator<CID> {
  for (let i = links.length - 1; i >= 0; i--) {
    yield links.at(i).Hash
  }
}
