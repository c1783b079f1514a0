import { yieldToEventLoop } from '@ipfsz/utils/event-loop'
import { raceSignal } from 'race-signal'
import { isUint8ArrayList } from 'uint8arraylist'
import { concat } from 'uint8arrays/concat'
import { iteratorOf, closeIterator } from './call-inner.ts'
import { InvalidParametersError } from '../errors.ts'

export type Chunks = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

interface CollectOptions {
  /** Maximum number of bytes to read. */
  max: number
  /** Makes the error for more than `max` bytes. */
  tooLarge: (size: number) => Error
  /** Whether the source may overwrite a chunk once the next one is requested, so chunks have to be copied. */
  reused?: boolean | undefined
  signal?: AbortSignal | null | undefined
}

/** A block in one chunk. */
interface Collected {
  bytes: Uint8Array
  /** Whether its memory was allocated here, so that nothing else refers to it. */
  isCopy: boolean
}

/**
 * How many chunks to collect before they are merged into one and the event loop gets a turn.
 * However small the chunks are, memory stays within a fixed multiple of their bytes, and
 * aborts get through even if every chunk is empty.
 */
const CHUNKS_TO_MERGE = 1024

/**
 * Read a block into one chunk. A single chunk is returned without copying, unless memory is
 * `reused`.
 *
 * (it-to-buffer and it-all read without a limit, and cannot be aborted while a source
 * stalls. For each chunk, it-to-buffer copies all chunks before it.)
 *
 * @throws {InvalidParametersError} the source yields something other than bytes
 */
export async function collectBlock (
  source: Chunks,
  { max, tooLarge, reused = false, signal }: CollectOptions
): Promise<Collected> {
  if (source instanceof Uint8Array) {
    if (source.byteLength > max) {
      throw tooLarge(source.byteLength)
    }

    return { bytes: source, isCopy: false }
  }

  if (!isSource(source)) {
    throw new InvalidParametersError(
      `A block must be a Uint8Array, or an iterable or async iterable of Uint8Arrays, not ${describe(source)}`
    )
  }

  const iterator = iteratorOf(source)
  const merged: Uint8Array[] = []
  let chunks: Uint8Array[] = []
  let count = 0
  let size = 0
  let ended = false

  try {
    for (;;) {
      const next = await raceSignal(iterator.next(), signal)

      if (next.done === true) {
        ended = true
        break
      }

      const chunk = toBytes(next.value)
      size += chunk.byteLength

      if (size > max) {
        throw tooLarge(size)
      }

      if (chunk.byteLength > 0) {
        chunks.push(reused ? new Uint8Array(chunk) : chunk)
      }

      if (++count % CHUNKS_TO_MERGE === 0) {
        if (chunks.length > 0) {
          merged.push(concat(chunks))
          chunks = []
        }

        await raceSignal(yieldToEventLoop(), signal)
      }
    }
  } finally {
    if (!ended) {
      closeIterator(iterator)
    }
  }

  const all = [...merged, ...chunks]

  return all.length === 1 ? { bytes: all[0], isCopy: reused } : { bytes: concat(all, size), isCopy: true }
}

function isSource (source: unknown): boolean {
  return typeof source === 'object' && source != null && (Symbol.asyncIterator in source || Symbol.iterator in source)
}

function toBytes (chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) {
    return chunk
  }

  if (isUint8ArrayList(chunk)) {
    return chunk.subarray()
  }

  throw new InvalidParametersError(`The chunks of a block must be Uint8Arrays, not ${describe(chunk)}`)
}

function describe (value: unknown): string {
  return Object.prototype.toString.call(value)
}
