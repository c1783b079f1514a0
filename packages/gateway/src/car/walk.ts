import { InvalidDagError, isIdentity } from '@ipfsz/core'
import { hasLinks } from '../dag/links.ts'
import { BlockBox } from '../memory/block-box.ts'
import { LeavesAhead, Siblings } from './siblings.ts'
import type { CarMemory } from './car-memory.ts'
import type { Next } from './siblings.ts'
import type { ReadBlock } from '../dag/read-block.ts'
import type { SentBlocks } from './sent-blocks.ts'
import type { Wanted, WantedBelow } from './wanted.ts'
import type { CID } from 'multiformats/cid'

/** Maximum number of bytes of the blocks above one block, 32 MiB: a DAG that is deeper is refused. */
export const MAX_OPEN_SIZE = 32 * 1024 * 1024

/** About how many bytes of memory a block takes besides its own. */
const OPEN_OVERHEAD = 1024

/** What is sent from the end of a path on. */
export interface Scope {
  root: Wanted
  below: WantedBelow
}

export interface SentBlock {
  cid: CID
  size: number
  block: BlockBox
}

/** A block whose links are being walked. It is let go before the last of them is. */
interface Open {
  siblings: Siblings
  size: number
}

/**
 * The blocks of a DAG, depth first. Memory is bounded: it holds the blocks above the current
 * one, decodes a link when it is its turn, and reads few leaves ahead.
 *
 * @throws {InvalidDagError} a block cannot be decoded, or the DAG is too deep
 */
export async function * walk (
  { root, below }: Scope,
  read: ReadBlock,
  sent: SentBlocks,
  memory: CarMemory
): AsyncGenerator<SentBlock> {
  const ahead = new LeavesAhead(read, sent, memory)
  const stack: Open[] = []
  let open = 0
  let next: Next | undefined = { wanted: root }

  while (next != null) {
    const { wanted } = next
    const { cid, part } = wanted
    const visit = sent.visit(cid, part == null)
    const walks = visit.walk && hasLinks(cid)
    // what an identity CID holds, its parent has: it is never sent (Trustless Gateway, `dups`)
    const sends = visit.send && !isIdentity(cid)

    if (walks || sends) {
      const taken = sentBlock(await ahead.take(next), cid, read)

      if (sends) {
        yield taken
      }

      memory.hold(open + sent.memory)

      if (walks) {
        const siblings = new Siblings(below(wanted, await taken.block.bytes()), ahead)
        const size = taken.size + OPEN_OVERHEAD

        if (!siblings.isEmpty) {
          open += size
          stack.push({ siblings, size })
        }

        if (open > MAX_OPEN_SIZE) {
          throw new InvalidDagError(cid, `is too deep: the blocks above it exceed the limit of ${MAX_OPEN_SIZE} bytes`)
        }
      }
    }

    ahead.release(next)

    const last = stack.at(-1)
    next = last?.siblings.take()

    if (last?.siblings.isEmpty === true) {
      stack.pop()
      open -= last.size
    }
  }
}

export function sentBlock (bytes: Uint8Array, cid: CID, read: ReadBlock): SentBlock {
  return { cid, size: bytes.byteLength, block: new BlockBox(bytes, async () => read(cid)) }
}
