import { iterateAny, letGo, raceSignal } from './abort.ts'
import { InvalidParametersError } from './errors.ts'

export type Chunks = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface CollectOptions {
  /** The most bytes to take. */
  max: number
  /** The error to throw where there are more than `max`. */
  tooLarge: (size: number) => Error
  signal?: AbortSignal | null | undefined
}

/** What an Uint8ArrayList has, of whichever copy of uint8arraylist. */
const LIST = Symbol.for('@achingbrain/uint8arraylist')

/**
 * All bytes of a block as one chunk. A single chunk comes back as it is, several are
 * copied once.
 *
 * @throws {InvalidParametersError} the source gives something else than bytes
 */
export async function collect (source: Chunks, { max, tooLarge, signal }: CollectOptions): Promise<Uint8Array> {
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
  const chunks: Uint8Array[] = []
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
      chunks.push(chunk)

      if (size > max) {
        throw tooLarge(size)
      }
    }
  } finally {
    if (!ended) {
      letGo(iterator)
    }
  }

  return chunks.length === 1 ? chunks[0] : concat(chunks, size)
}

function concat (chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let position = 0

  for (const chunk of chunks) {
    bytes.set(chunk, position)
    position += chunk.byteLength
  }

  return bytes
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
