import { decodeBlock } from '../dag/node-links.ts'
import type { BlockEntry } from './records.ts'
import type { CID } from 'multiformats/cid'

/** Looks up a block of one original. Undefined for a plain file in a directory, and for other originals. */
type LookUp = (cid: CID) => Promise<BlockEntry | undefined>

/** The CIDs of the blocks of an original, the root first. */
export async function * walkBlocks (root: CID, lookUp: LookUp): AsyncGenerator<CID> {
  const waiting = [root]

  for (let cid = waiting.pop(); cid != null; cid = waiting.pop()) {
    const entry = await lookUp(cid)

    if (entry != null) {
      yield cid
      waiting.push(...childrenOf(entry).toReversed())
    }
  }
}

/**
 * The CIDs of the blocks of an original in batches, children first: if they are deleted in this order, those that are
 * left after a kill can still be found from the root.
 */
export async function * blocksToDelete (root: CID, lookUp: LookUp, batchSize: number): AsyncGenerator<CID[]> {
  const open: Array<{ cid: CID, children: CID[] }> = []
  let batch: CID[] = []
  const enter = async (cid: CID): Promise<void> => {
    const entry = await lookUp(cid)

    if (entry != null) {
      open.push({ cid, children: childrenOf(entry) })
    }
  }

  await enter(root)

  for (let last = open.at(-1); last != null; last = open.at(-1)) {
    const child = last.children.pop()

    if (child != null) {
      await enter(child)
      continue
    }

    open.pop()
    batch.push(last.cid)

    if (batch.length === batchSize) {
      yield batch
      batch = []
    }
  }

  yield batch
}

function childrenOf (entry: BlockEntry): CID[] {
  return entry.kind === 'node' ? Array.from(decodeBlock(entry.bytes).links, ({ Hash }) => Hash) : []
}
