import { checkBlock, checkHash, CorruptBlockError, isIdentity, unmark } from '@ipfsz/core'
import { isDamage } from './damage.ts'
import { linksOf, Reached } from './dag-walk.ts'
import { WaitingBlocks } from './waiting-blocks.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How a block was found. */
export type BlockState = 'good' | 'missing' | 'damaged'

export interface RepairedBlock {
  cid: CID
  found: BlockState
  /** Whether it is good now. */
  good: boolean
  /** Of the block, 0 where there is none. */
  size: number
}

export interface RepairOptions {
  signal: AbortSignal
  /** Gets a block from others and keeps it. Nothing where nobody has it, or may be asked. */
  fetch: (cid: CID, damaged: boolean) => Promise<Uint8Array | undefined>
  /** How many levels below the root to look at, by default all. */
  depth?: number | undefined
}

type Store = Pick<IpfszComponents['blockstore'], 'get'>

/**
 * Read every block below a root, each once, and fetch those that are missing or
 * damaged. Below one that stays lost nothing is known.
 *
 * @throws {UnknownBlockError} a block has a codec that is not known here
 * @throws {UnknownHashError} a block cannot be compared with its CID
 * @throws {DigestLengthError} nor with so short a digest
 */
export async function * repairDag (root: CID, blockstore: Store, { signal, fetch, depth = Infinity }: RepairOptions): AsyncGenerator<RepairedBlock> {
  const reached = new Reached()
  const waiting = new WaitingBlocks()

  const enter = (cid: CID, levels: number): void => {
    const isNew = reached.add(cid, levels)

    if (isNew != null) {
      waiting.push({ cid, levels, isNew })
    }
  }

  const visit = async (cid: CID, levels: number): Promise<RepairedBlock & { links: Iterable<CID> }> => {
    const { found, bytes } = await read(cid, blockstore, signal)
    const good = bytes ?? await fetch(cid, found === 'damaged')

    return { cid, found, good: good != null, size: good?.byteLength ?? 0, links: good == null || levels === 0 ? [] : linksOf(cid, good) }
  }

  enter(unmark(root), depth)

  while (!waiting.isEmpty) {
    signal.throwIfAborted()

    // from the end, so that what waits stays short
    const batch = waiting.take()
    const blocks = await Promise.all(batch.map(async ({ cid, levels }) => visit(cid, levels)))

    for (const [i, { links, ...block }] of blocks.entries()) {
      waiting.noteSize(block.size)

      for (const link of links) {
        enter(link, batch[i].levels - 1)
      }

      if (batch[i].isNew) {
        yield block
      }
    }
  }
}

async function read (cid: CID, blockstore: Store, signal: AbortSignal): Promise<{ found: BlockState, bytes?: Uint8Array }> {
  if (isIdentity(cid)) {
    checkHash(cid)
    // the CID holds the block
    return { found: 'good', bytes: cid.multihash.digest }
  }

  const pieces: Uint8Array[] = []

  try {
    for await (const piece of blockstore.get(cid, { signal })) {
      pieces.push(piece)
    }
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

  const bytes = Buffer.concat(pieces)

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
