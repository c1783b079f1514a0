import { decodeBlock } from '../dag/node-links.ts'
import type { BlockEntry } from './records.ts'
import type { CID } from 'multiformats/cid'

/** Looks up a block of one original. Undefined for a plain file in a directory, and for other originals. */
type LookUp = (cid: CID) => Promise<BlockEntry | undefined>

/**
 * The CIDs of the blocks of an original, the root first, or with `childrenFirst` last: if they are deleted in this
 * order, those that are left after a kill can still be found from the root.
 */
export async function * walkBlocks (root: CID, lookUp: LookUp, { childrenFirst = false } = {}): AsyncGenerator<CID> {
  const open: Array<{ cid: CID, children: CID[] }> = []
  let next: CID | undefined = root

  do {
    const entry = next && await lookUp(next)

    if (next != null && entry != null) {
      open.push({ cid: next, children: childrenOf(entry).toReversed() })

      if (!childrenFirst) {
        yield next
      }
    }

    next = open.at(-1)?.children.pop()
    const done = next == null ? open.pop() : undefined

    if (done != null && childrenFirst) {
      yield done.cid
    }
  } while (open.length > 0 || next != null)
}

function childrenOf (entry: BlockEntry): CID[] {
  return entry.kind === 'node' ? Array.from(decodeBlock(entry.bytes).links, ({ Hash }) => Hash) : []
}
