import { iterateAny, letGo } from './abort.ts'
import { raceSignal } from 'race-signal'
import { InvalidParametersError } from '../errors.ts'

export type Chunks = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface CollectOptions {
  /** The most bytes to take. */
  max: number
  /** The error to throw where there are more than `max`. */
  tooLarge: (size: number) => Error
  /** Whether a source may fill the memory of a chunk again once the next is asked for. */
  reused?: boolean | undefined
  signal?: AbortSignal | null | undefined
}

/**
 * So many chunks become one, and then others have their turn. However small chunks are,
 * empty ones included, they take a bounded multiple of their bytes, and an abort is heard.
 */
const MERGED = 1024

/** What an Uint8ArrayList has, of whichever copy of uint8arraylist. */
const LIST = Symbol.for('@achingbrain/uint8arraylist')

/**
 * All bytes of a block as one chunk. A single chunk comes back as it is unless memory is
 * `reused`, several are copied.
 *
 * @throws {InvalidParametersError} the source gives something else than bytes
 */
export async function collect (source: Chunks, { max, tooLarge, reused = false, signal }: CollectOptions): Promise<Uint8Array> {
  if (source instanceof Uint8Array) {
    if (source.byteLength > max) {
      throw tooLarge(source.byteLength)
    }

    return source
  }

  if (!isSource(source)) {
    throw new InvalidParametersError(`A block is an Uint8Array or a source of them, not ${describe(source)}`)
  }

  const iterator = iterateAny(source)
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

      if (++count % MERGED === 0) {
        if (chunks.length > 0) {
          merged.push(concat(chunks))
          chunks = []
        }

        await raceSignal(nextTurn(), signal)
      }
    }
  } finally {
    if (!ended) {
      letGo(iterator)
    }
  }

  const all = [...merged, ...chunks]

  return all.length === 1 ? all[0] : concat(all)
}

function concat (chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let position = 0

  for (const chunk of chunks) {
    bytes.set(chunk, position)
    position += chunk.byteLength
  }

  return bytes
}

/** Timers and events have been heard. */
async function nextTurn (): Promise<void> {
  await new Promise(resolve => { setTimeout(resolve, 0) })
}

function isSource (source: unknown): boolean {
  return typeof source === 'object' && source != null && (Symbol.asyncIterator in source || Symbol.iterator in source)
}

function toBytes (chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) {
    return chunk
  }

  if (typeof chunk === 'object' && chunk != null && LIST in chunk) {
    return (chunk as unknown as { subarray: () => Uint8Array }).subarray()
  }

  throw new InvalidParametersError(`The chunks of a block are Uint8Arrays, not ${describe(chunk)}`)
}

function describe (value: unknown): string {
  return Object.prototype.toString.call(value)
}
