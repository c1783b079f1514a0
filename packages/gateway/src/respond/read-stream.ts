import { readInTurns } from '../memory/read-in-turns.ts'
import { passThrough } from '../memory/turns.ts'
import type { Memory } from '../memory/client-memory.ts'
import type { MemoryCost, OpenOptions } from '../memory/reading.ts'

/**
 * How many bytes a response may decompress again, besides twice as many as it has sent, 64 MiB: each turn begins with
 * those of the turns before. A client that stops more often keeps its decoder.
 */
const MAX_REPEATED = 64 * 1024 * 1024

/**
 * How many streams are decompressed at a time, however little memory each takes: a hundred would take each other's
 * time, and that of whoever connects.
 */
const MAX_STREAMS = 28

/** What has to be read from its beginning. */
export interface StreamSource extends MemoryCost {
  /** Where it is read from. */
  offset: number
  /** In bytes. Undefined: known at its end. */
  length: number | undefined
  /** Whether it may be read from anywhere, after all before that is decompressed. */
  hasRanges: boolean
  open (range: { offset?: number, length?: number }, options: OpenOptions): AsyncIterable<Uint8Array>
}

/**
 * Read a stream within the memory of all responses, in turns: a client that does not read would hold a decoder for
 * seconds, while others wait. What cannot be read in turns, or was too often, holds its memory to its end.
 *
 * @param unneeded - aborted when it fails
 */
export async function * readStream (
  source: StreamSource,
  memory: Memory,
  unneeded: AbortController
): AsyncGenerator<Uint8Array> {
  const { offset, length, hasRanges } = source
  let at = 0
  let repeated = 0
  let isStopped = !hasRanges
  const least = Math.floor(memory.limit / MAX_STREAMS)
  const openAt = (from: number, how: OpenOptions): AsyncIterable<Uint8Array> => {
    const range = { offset: offset + from, ...length == null ? {} : { length: length - from } }

    return source.open(range.offset === 0 && length == null ? {} : range, how)
  }

  if (!isStopped) {
    yield * readInTurns({
      size: length ?? Infinity,
      memory: Math.max(source.memory, least),
      memoryAhead: Math.max(source.memoryAhead, least),
      open: openAt,
      canOpen: from => {
        at = from
        repeated += from
        isStopped = repeated > MAX_REPEATED + 2 * from

        return !isStopped
      }
    }, memory, unneeded.signal)
  }

  if (isStopped) {
    yield * passThrough(how => openAt(at, how), source, memory, unneeded)
  }
}
