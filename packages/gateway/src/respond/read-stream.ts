import { readInTurns } from '../memory/read-in-turns.ts'
import { passThrough } from '../memory/turns.ts'
import type { MemoryBudget } from '../memory/memory-budget.ts'
import type { MemoryCost, OpenOptions } from '../memory/reading.ts'

/**
 * How many bytes of a stream are read in turns while others wait, 8 MiB: each turn decompresses those before it again,
 * in some 10 ms, while clients that do not read would hold the memory of a decoder for 10 s. Sockets take less.
 */
const RESTARTED = 8 * 1024 * 1024

/** What has to be read from its beginning. */
export interface StreamSource extends MemoryCost {
  /** Where it is read from. */
  offset: number
  /** In bytes. Undefined: known at its end. */
  length: number | undefined
  /** Whether it may be read from anywhere: of what is compared as a whole, a range is refused. */
  canRestart: boolean
  open (range: { offset?: number, length?: number }, options: OpenOptions): AsyncIterable<Uint8Array>
}

/**
 * Read a stream within the memory of all responses. While others wait, its beginning is read in turns, and the rest
 * holds memory to its end.
 *
 * @param unneeded - aborted when it fails
 */
export async function * readStream (
  source: StreamSource,
  memory: MemoryBudget,
  unneeded: AbortController
): AsyncGenerator<Uint8Array> {
  const { offset, length = Infinity, canRestart } = source
  const size = Math.min(RESTARTED, length)
  let at = 0
  let isRefused = !canRestart

  if (!isRefused && (memory.isShort || memory.ofStreams.isShort)) {
    const beginning = {
      size,
      memory: source.memory,
      memoryAhead: source.memoryAhead,
      open: (from: number, how: OpenOptions) => source.open({ offset: offset + from, length: size - from }, how)
    }

    try {
      for await (const bytes of readInTurns(beginning, memory, unneeded.signal)) {
        yield bytes
        at += bytes.byteLength
      }
    } catch (err) {
      isRefused = at === 0 && err instanceof Error && err.name === 'UncheckedLinkError'

      if (!isRefused) {
        throw err
      }
    }

    if (!isRefused && (at < RESTARTED || at === length)) {
      return
    }
  }

  const isWhole = offset + at === 0 && length === Infinity
  const range = { offset: offset + at, ...length === Infinity ? {} : { length: length - at } }

  yield * passThrough(how => source.open(isWhole ? {} : range, how), source, memory, unneeded)
}
