import { raceSignal } from 'race-signal'
import { concat } from './bytes.ts'
import type { Allocate } from './bytes.ts'

/**
 * Reads a stream of chunks of any size in pieces of a wanted size. What lies in
 * one chunk is handed on without a copy.
 */
export class ByteReader {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #signal?: AbortSignal | null
  #buffered: Uint8Array[] = []
  #length = 0
  #ended = false

  constructor (source: AsyncIterable<Uint8Array>, signal?: AbortSignal | null) {
    this.#iterator = source[Symbol.asyncIterator]()
    this.#signal = signal
  }

  /**
   * The next `length` bytes, fewer only where the stream ends before.
   *
   * @param allocate - where to put them if they come from several chunks
   */
  async read (length: number, allocate?: Allocate): Promise<Uint8Array> {
    await this.peek(length)

    const parts: Uint8Array[] = []

    for (let missing = Math.min(length, this.#length); missing > 0;) {
      const chunk = this.#buffered[0]

      if (chunk.byteLength <= missing) {
        this.#buffered.shift()
        parts.push(chunk)
      } else {
        this.#buffered[0] = chunk.subarray(missing)
        parts.push(chunk.subarray(0, missing))
      }

      missing -= parts[parts.length - 1].byteLength
    }

    const bytes = concat(parts, allocate)
    this.#length -= bytes.byteLength

    return bytes
  }

  /** Pull until that many bytes are here, and tell how many are: fewer only where the stream ends before. */
  async peek (length: number): Promise<number> {
    while (this.#length < length && await this.#pull()) {
      // pulled
    }

    return this.#length
  }

  /** Everything that has not been read yet, chunk by chunk. */
  async * rest (): AsyncGenerator<Uint8Array> {
    do {
      for (let chunk = this.#take(); chunk != null; chunk = this.#take()) {
        yield chunk
      }
    } while (await this.#pull())
  }

  /** Give the stream up. Not awaited: one that stalls would keep the caller waiting. */
  close (): void {
    this.#iterator.return?.()?.catch(() => {})
  }

  #take (): Uint8Array | undefined {
    const chunk = this.#buffered.shift()
    this.#length -= chunk?.byteLength ?? 0

    return chunk
  }

  async #pull (): Promise<boolean> {
    if (this.#ended) {
      return false
    }

    this.#signal?.throwIfAborted()
    const next = await raceSignal(this.#iterator.next(), this.#signal)

    if (next.done === true) {
      this.#ended = true
      return false
    }

    this.#buffered.push(next.value)
    this.#length += next.value.byteLength

    return true
  }
}
