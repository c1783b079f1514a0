import { iterateAny, letGo, raceSignal } from './abort.ts'

export type Chunks = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface CollectOptions {
  /** The most bytes to take. */
  max: number
  /** The error to throw where there are more than `max`. */
  tooLarge: (size: number) => Error
  signal?: AbortSignal | null | undefined
}

/** All bytes of a block as one chunk. A single chunk comes back as it is, several are copied once. */
export async function collect (source: Chunks, { max, tooLarge, signal }: CollectOptions): Promise<Uint8Array> {
  if (source instanceof Uint8Array) {
    if (source.byteLength > max) {
      throw tooLarge(source.byteLength)
    }

    return source
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

      size += next.value.byteLength
      chunks.push(next.value)

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
