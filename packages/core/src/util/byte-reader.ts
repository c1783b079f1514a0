import { raceAbort } from '@ipfsz/utils/race-abort'
import { concat } from '@ipfsz/utils/bytes'
import type { Allocate } from '@ipfsz/utils/bytes'

/**
 * Reads a stream of chunks of any size in pieces of a given size. A piece within one chunk is
 * returned without copying.
 */
export class ByteReader {
  /** Undefined if all bytes are buffered. */
  readonly #iterator?: AsyncIterator<Uint8Array>
  readonly #signal?: AbortSignal | null
  #buffered: Uint8Array[] = []
  #length = 0
  #ended = false

  /** @param source - a stream, or all of its bytes */
  constructor (source: AsyncIterable<Uint8Array> | Uint8Array, signal?: AbortSignal | null) {
    this.#signal = signal

    if (!(source instanceof Uint8Array)) {
      this.#iterator = source[Symbol.asyncIterator]()
    } else if (source.byteLength > 0) {
      this.#buffered.push(source)
      this.#length = source.byteLength
    }
  }

  /**
   * The next `length` bytes, or fewer if the stream ends.
   *
   * @param allocate - provides the array if the bytes span several chunks. Each is copied as it arrives: chunks that
   *   wait for others outlive V8's young garbage, and wait for a collection of the whole heap
   */
  read (length: number, allocate?: Allocate): Uint8Array | Promise<Uint8Array> {
    // without a promise: small files are buffered as a whole
    return allocate == null && !this.#lacks(length) ? this.#takeBytes(length) : this.#readLater(length, allocate)
  }

  async #readLater (length: number, allocate?: Allocate): Promise<Uint8Array> {
    if (allocate != null && await this.#spansChunks(length)) {
      const bytes = allocate(length)
      const filled = await this.readInto(bytes)

      return filled === length ? bytes : bytes.subarray(0, filled)
    }

    if (this.#lacks(length)) {
      await this.peek(length)
    }

    return this.#takeBytes(length, allocate)
  }

  #takeBytes (length: number, allocate?: Allocate): Uint8Array {
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

  /**
   * Copy the next bytes into an array, fewer if the stream ends. Each chunk is copied before the next one is requested.
   *
   * @returns how many
   */
  async readInto (target: Uint8Array): Promise<number> {
    let filled = 0

    while (filled < target.byteLength && (this.#length > 0 || await this.#pull())) {
      const [chunk] = this.#buffered
      const part = chunk.subarray(0, target.byteLength - filled)

      target.set(part, filled)
      filled += part.byteLength
      this.#length -= part.byteLength

      if (part.byteLength === chunk.byteLength) {
        this.#buffered.shift()
      } else {
        this.#buffered[0] = chunk.subarray(part.byteLength)
      }
    }

    return filled
  }

  /** Whether it is known that nothing is left to read. */
  get isDone (): boolean {
    return this.#length === 0 && (this.#ended || this.#iterator == null)
  }

  /** Put back what was read last. The next read of as many bytes returns the same array. */
  unread (bytes: Uint8Array): void {
    this.#buffered.unshift(bytes)
    this.#length += bytes.byteLength
  }

  /** The buffered bytes of the next chunk, which stay unread. Undefined at the end of the stream. */
  async chunk (): Promise<Uint8Array | undefined> {
    await this.peek(1)

    return this.#buffered[0]
  }

  /** Buffer at least `length` bytes, or fewer if the stream ends. Returns how many are buffered. */
  async peek (length: number): Promise<number> {
    while (this.#length < length && await this.#pull()) {
      // #pull has buffered a chunk
    }

    return this.#length
  }

  /** A copy of the next `length` bytes, or fewer if the stream ends. They stay unread. */
  lookAhead (length: number): Uint8Array | Promise<Uint8Array> {
    return this.#lacks(length) ? this.peek(length).then(() => this.#copyBytes(length)) : this.#copyBytes(length)
  }

  #copyBytes (length: number): Uint8Array {
    const bytes = new Uint8Array(Math.min(length, this.#length))
    let filled = 0

    for (let i = 0; filled < bytes.byteLength; i++) {
      const part = this.#buffered[i].subarray(0, bytes.byteLength - filled)
      bytes.set(part, filled)
      filled += part.byteLength
    }

    return bytes
  }

  /** The buffered bytes, chunk by chunk. They stay buffered. */
  * buffered (): Generator<Uint8Array> {
    yield * this.#buffered
  }

  /** The unread rest of the stream, chunk by chunk. */
  async * rest (): AsyncGenerator<Uint8Array> {
    do {
      for (let chunk = this.#take(); chunk != null; chunk = this.#take()) {
        yield chunk
      }
    } while (await this.#pull())
  }

  /** Close the stream. Not awaited, because a stalled stream would block the caller. */
  close (): void {
    this.#iterator?.return?.()?.catch(() => {})
  }

  /** Whether the next bytes span several chunks, and are not buffered yet. The last chunk of a stream spans none. */
  async #spansChunks (length: number): Promise<boolean> {
    const first = (await this.chunk())?.byteLength ?? 0

    return this.#length < length && await this.peek(first + 1) > first
  }

  /** Whether fewer bytes are buffered, and more may come. */
  #lacks (length: number): boolean {
    return this.#length < length && !this.#ended && this.#iterator != null
  }

  #take (): Uint8Array | undefined {
    const chunk = this.#buffered.shift()
    this.#length -= chunk?.byteLength ?? 0

    return chunk
  }

  async #pull (): Promise<boolean> {
    if (this.#ended || this.#iterator == null) {
      return false
    }

    this.#signal?.throwIfAborted()
    const next = await raceAbort(this.#iterator.next(), this.#signal)

    if (next.done === true) {
      this.#ended = true
      return false
    }

    this.#buffered.push(next.value)
    this.#length += next.value.byteLength

    return true
  }
}
