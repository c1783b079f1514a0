import {
  checkBlock,
  checkHash,
  isIdentity,
  NotFoundError,
  NotUnixFSError,
  notUnixFS,
  unmark
} from '@ipfsz/core'
import { decodeBlock } from '@ipfsz/core/nodes'
import { collectBytes } from '@ipfsz/utils/bytes'
import { DamagedDagError } from '../errors.ts'
import { isDagPb, isLeaf, Reached } from './reached.ts'
import { WaitingBlocks } from './waiting-blocks.ts'
import type { ReachedBlocks } from './reached.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { NodeLinks } from '@ipfsz/core/nodes'
import type { CID } from 'multiformats/cid'

export type WalkStore = Pick<IpfszComponents['blockstore'], 'get' | 'has'>

export interface WalkOptions {
  signal: AbortSignal
  /** What to do with leaves: check that the repo has them, read them, or only yield their CIDs. */
  leaves: 'has' | 'read' | 'skip'
  /** How many levels below the root to walk, by default all. Blocks of the last level count as leaves. */
  depth?: number
  /** The blocks that earlier walks reached, which are not walked again. Discard it after a walk that failed. */
  reached?: ReachedBlocks
  /** What a block links to, if that is known: then it is not read. */
  knownLinks?: ((cid: CID) => Promise<CID[] | undefined>) | undefined
}

export interface WalkedBlock {
  cid: CID
  /** Missing for leaves, unless `leaves` is 'read'. */
  bytes?: Uint8Array
  /** The bytes of a leaf that was not visited, as the block above it states. */
  statedSize?: number
}

export interface DagLink {
  Hash: CID
  /** Bytes of all blocks below it, as the block states. */
  Tsize?: number
}

/**
 * Yield every block of a DAG once, the root first. A block that is linked under two codecs is walked under both. Blocks
 * that are read are checked against their hash: the links of a damaged block are unknown. Identity CIDs are walked
 * but not yielded: they hold their bytes themselves.
 */
export async function * walkDag (
  root: CID,
  blockstore: WalkStore,
  { signal, leaves, depth = Infinity, reached = new Reached(), knownLinks }: WalkOptions
): AsyncGenerator<WalkedBlock> {
  const waiting = new WaitingBlocks()
  const visiting = { signal, leaves, knownLinks }
  const enter = (cid: CID, levels: number): void => {
    if (isIdentity(cid) && isLeaf(cid)) {
      // it may be long, and needs neither a visit nor a record
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
    // depth first, so that few blocks wait
    const batch = waiting.take().filter(({ cid, levels, isNew }) => isNew || !reached.isKept(cid, levels))
    const blocks = await Promise.all(
      batch.map(async ({ cid, levels }) => visit(cid, levels > 0, blockstore, visiting))
    )
      .catch((err: unknown) => { throw signal.aborted ? signal.reason : new DamagedDagError(root, err) })

    for (const [i, { links, ...block }] of blocks.entries()) {
      const levels = batch[i].levels - 1

      waiting.noteSize(block.bytes?.byteLength ?? 0)

      if (batch[i].isNew && !isIdentity(block.cid)) {
        yield block
      }

      if (reached.isKept(block.cid, batch[i].levels)) {
        // it was in the batch twice
        continue
      }

      let hasNodes = false

      for (const { Hash: link, Tsize: statedSize = 0 } of links) {
        hasNodes ||= !isLeaf(link)

        if (leaves !== 'skip' || !isLeaf(link)) {
          enter(link, levels)
        } else if (!isIdentity(link) && reached.add(link, levels) === true) {
          // no visit is needed: most blocks are leaves
          yield { cid: link, statedSize }
        }
      }

      if (hasNodes) {
        reached.keep(block.cid, batch[i].levels)
      }
    }
  }
}

/**
 * A string key for a block: its multihash, which is all that stores use of a CID. (@ipfsz/blockstore-compressed has its
 * own, without Buffer, as it also runs in browsers. No package that both import knows CIDs.)
 */
export function keyOf ({ multihash: { bytes } }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

async function visit (
  cid: CID,
  withLinks: boolean,
  blockstore: WalkStore,
  { signal, leaves, knownLinks }: Pick<WalkOptions, 'knownLinks' | 'leaves' | 'signal'>
): Promise<WalkedBlock & { links: Iterable<DagLink> }> {
  const hasLinks = withLinks && !isLeaf(cid)

  if (hasLinks && !isDagPb(cid)) {
    throw notUnixFS(cid)
  }

  if (leaves !== 'skip') {
    // also for leaves that are not read: no reader could check them
    checkHash(cid)
  }

  if (isIdentity(cid)) {
    checkHash(cid)
    return { cid, links: hasLinks ? linksOf(cid, cid.multihash.digest) : [] }
  }

  if (!hasLinks && leaves !== 'read') {
    if (leaves === 'has' && !await blockstore.has(cid, { signal })) {
      throw new NotFoundError(cid)
    }

    return { cid, links: [] }
  }

  const known = hasLinks ? await knownLinks?.(cid) : undefined

  if (known != null) {
    return { cid, links: known.toReversed().map(Hash => ({ Hash })) }
  }

  const bytes = await read(cid, blockstore, signal)
  await checkBlock(cid, bytes)

  return { cid, bytes, links: hasLinks ? linksOf(cid, bytes) : [] }
}

async function read (cid: CID, blockstore: WalkStore, signal: AbortSignal): Promise<Uint8Array> {
  try {
    return await collectBytes(blockstore.get(cid, { signal }))
  } catch (err) {
    throw err instanceof Error && err.name === 'NotFoundError' ? new NotFoundError(cid, { cause: err }) : err
  }
}

/** The links of a block, last first, each decoded only when it is read. */
export function linksOf (cid: CID, bytes: Uint8Array): Iterable<DagLink> {
  if (isLeaf(cid)) {
    return []
  }

  if (!isDagPb(cid)) {
    throw notUnixFS(cid)
  }

  try {
    return fromLast(decodeBlock(bytes).links)
  } catch (err) {
    throw new NotUnixFSError(cid, 'it is not dag-pb', { cause: err })
  }
}

function * fromLast (links: NodeLinks): Generator<DagLink> {
  for (let i = links.length - 1; i >= 0; i--) {
    yield links.at(i)
  }
}
