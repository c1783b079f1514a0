import { checkBlock, checkHash, CorruptBlockError, isDamage, isIdentity, unmark } from '@ipfsz/core'
import { collectBytes } from '@ipfsz/utils/bytes'
import { linksOf } from './dag-walk.ts'
import { Reached } from './reached.ts'
import { WaitingBlocks } from './waiting-blocks.ts'
import type { DagLink } from './dag-walk.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The state in which a block was found. */
export type BlockState = 'good' | 'missing' | 'damaged'

export interface RepairedBlock {
  cid: CID
  found: BlockState
  /** Whether it is good now, perhaps after a repair. */
  good: boolean
  /** Size in bytes, 0 if the block is still lost. */
  size: number
}

export interface RepairOptions {
  signal: AbortSignal
  /** Fetches a block from the network and stores it. Returns undefined if no peer has it, or fetching is off. */
  fetch: (cid: CID) => Promise<Uint8Array | undefined>
  /** How many levels below the root to check, by default all. */
  depth?: number | undefined
}

type Store = Pick<IpfszComponents['blockstore'], 'get'>

/**
 * Read every block of a DAG once, and fetch the missing and damaged ones. The blocks below one that stays lost are
 * unknown, and not visited.
 *
 * @throws {NotUnixFSError} a block is not UnixFS
 * @throws {UnknownHashError} a block has an unknown hash function, so it cannot be checked
 * @throws {DigestLengthError} a block's digest is too short to check it
 */
export async function * repairDag (
  root: CID,
  blockstore: Store,
  { signal, fetch, depth = Infinity }: RepairOptions
): AsyncGenerator<RepairedBlock> {
  const reached = new Reached()
  const waiting = new WaitingBlocks()

  const enter = (cid: CID, levels: number): void => {
    const isNew = reached.add(cid, levels)

    if (isNew != null) {
      waiting.push({ cid, levels, isNew })
    }
  }

  const visit = async (cid: CID, levels: number): Promise<RepairedBlock & { links: Iterable<DagLink> }> => {
    const { found, bytes } = await read(cid, blockstore, signal)
    const good = bytes ?? await fetch(cid)

    return {
      cid,
      found,
      good: good != null,
      size: good?.byteLength ?? 0,
      links: good == null || levels === 0 ? [] : linksOf(cid, good)
    }
  }

  enter(unmark(root), depth)

  while (!waiting.isEmpty) {
    signal.throwIfAborted()

    // depth first, so that few blocks wait
    const batch = waiting.take()
    const blocks = await Promise.all(batch.map(async ({ cid, levels }) => visit(cid, levels)))

    for (const [i, { links, ...block }] of blocks.entries()) {
      waiting.noteSize(block.size)

      for (const { Hash } of links) {
        enter(Hash, batch[i].levels - 1)
      }

      // an identity CID contains its block, which is in no store
      if (batch[i].isNew && !isIdentity(block.cid)) {
        yield block
      }
    }
  }
}

async function read (cid: CID, blockstore: Store, signal: AbortSignal): Promise<{
  found: BlockState
  bytes?: Uint8Array
}> {
  if (isIdentity(cid)) {
    checkHash(cid)
    // the CID holds the block
    return { found: 'good', bytes: cid.multihash.digest }
  }

  let bytes: Uint8Array

  try {
    bytes = await collectBytes(blockstore.get(cid, { signal }))
  } catch (err) {
    signal.throwIfAborted()
    const name = err instanceof Error ? err.name : ''

    if (name === 'NotFoundError') {
      return { found: 'missing' }
    }

    if (isDamage(err)) {
      return { found: 'damaged' }
    }

    throw err
  }

  try {
    await checkBlock(cid, bytes)

    return { found: 'good', bytes }
  } catch (err) {
    if (err instanceof CorruptBlockError) {
      return { found: 'damaged' }
    }

    throw err
  }
}
