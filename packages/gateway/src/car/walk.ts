import { InvalidDagError, isIdentity } from '@ipfsz/core'
import { hasLinks } from './links.ts'
import type { ReadBlock } from './read-block.ts'
import type { SentBlocks } from './sent-blocks.ts'
import type { CID } from 'multiformats/cid'

/** The most bytes of the blocks above one block, 32 MiB: a DAG that is deeper is refused. */
export const MAX_OPEN_SIZE = 32 * 1024 * 1024

/** About how many bytes of memory a block takes besides its own. */
const OPEN_OVERHEAD = 1024

/** A block that is wanted. */
export interface Wanted {
  cid: CID
  /** Where the file's bytes below it begin and how many there are, if only a range of them is wanted. */
  part?: { start: number, size: number }
}

export interface SentBlock {
  cid: CID
  bytes: Uint8Array
}

/** The blocks that are wanted below a block, in order. */
export type WantedBelow = (wanted: Wanted, block: Uint8Array) => Generator<Wanted>

/** A block whose links are being walked. It is let go before the last of them is. */
interface Open {
  next: Wanted
  rest: Generator<Wanted>
  size: number
}

/**
 * The blocks of a DAG, depth first. Memory is bounded: it holds the blocks above the current
 * one, and decodes a link when it is its turn.
 *
 * @throws {InvalidDagError} a block cannot be decoded, or the DAG is too deep
 */
export async function * walk (
  root: Wanted,
  below: WantedBelow,
  read: ReadBlock,
  sent: SentBlocks
): AsyncGenerator<SentBlock> {
  const stack: Open[] = []
  let open = 0
  let wanted: Wanted | undefined = root

  while (wanted != null) {
    const { cid, part } = wanted
    const visit = sent.visit(cid, part == null)
    const walks = visit.walk && hasLinks(cid)

    // what an identity CID holds, its parent has: it is never sent (Trustless Gateway, `dups`)
    if (walks || (visit.send && !isIdentity(cid))) {
      const bytes = await read(cid)

      if (visit.send && !isIdentity(cid)) {
        yield { cid, bytes }
      }

      if (walks) {
        const rest = below(wanted, bytes)
        const first = rest.next()

        if (first.done !== true) {
          const size = bytes.byteLength + OPEN_OVERHEAD
          open += size
          stack.push({ next: first.value, rest, size })
        }

        if (open > MAX_OPEN_SIZE) {
          throw new InvalidDagError(cid, `is so deep that the blocks above it have more than ${MAX_OPEN_SIZE} bytes`)
        }
      }
    }

    const last = stack.at(-1)
    wanted = last?.next

    if (last != null) {
      const { done, value } = last.rest.next()

      if (done === true) {
        stack.pop()
        open -= last.size
      } else {
        last.next = value
      }
    }
  }
}
