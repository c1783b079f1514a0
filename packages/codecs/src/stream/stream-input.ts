import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { raceSignal } from 'race-signal'
import { CorruptFrameError } from '../errors.ts'

/** The first allocation for bytes from several chunks. It grows with received bytes, not with requested ones. */
const FIRST_ALLOCATION = 16 * 1024

const NOTHING = new Uint8Array(0)

/**
 * Gives a decoder pieces of the size that it requests, from chunks of any size. It pulls chunks
 * on demand, and copies only pieces that span several chunks.
 */
export class StreamInput {
  readonly #codec: string
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #signal: AbortSignal | null | undefined
  readonly #breaks = new EventLoopBreaks()
  /** Bytes that are pulled but not taken. */
  #chunk: Uint8Array = NOTHING
  #ended = false
  /** The error of the source, if it failed. It does not mean that the stream is corrupt. */
  failure?: { error: unknown }

  constructor (codec: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal | null) {
    this.#codec = codec
    this.#iterator = source[Symbol.asyncIterator]()
    this.#signal = signal
  }

  /** The available bytes, at least one and at most `max`. Undefined at the end. */
  async take (max: number = Number.POSITIVE_INFINITY): Promise<Uint8Array | undefined> {
    // a source of endless empty frames must not block the event loop
    if (this.#breaks.isDue()) {
      await this.#breaks.take()
    }

    while (this.#chunk.byteLength === 0) {
      if (!await this.#pull()) {
        return undefined
      }
    }

    const bytes = this.#chunk.subarray(0, max)
    this.#chunk = this.#chunk.subarray(bytes.byteLength)

    return bytes
  }

  /** Put back the bytes that were taken last. */
  unread (bytes: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = bytes

    if (this.#chunk.byteLength === 0) {
      this.#chunk = bytes
    } else if (buffer === this.#chunk.buffer && byteOffset + byteLength === this.#chunk.byteOffset) {
      this.#chunk = new Uint8Array(buffer, byteOffset, byteLength + this.#chunk.byteLength)
    } else {
      const joined = new Uint8Array(byteLength + this.#chunk.byteLength)
      joined.set(bytes)
      joined.set(this.#chunk, byteLength)
      this.#chunk = joined
    }
  }

  /** The next `length` bytes, without taking them. Fewer only if the stream ends. */
  async peek (length: number): Promise<Uint8Array> {
    if (this.#chunk.byteLength >= length) {
      return this.#chunk.subarray(0, length)
    }

    const bytes = await this.#join(length)
    this.unread(bytes)

    return bytes
  }

  /**
   * Take the next `length` bytes.
   *
   * @throws {CorruptFrameError} the stream is shorter
   */
  async read (length: number): Promise<Uint8Array> {
    const bytes = this.#chunk.byteLength >= length ? await this.take(length) : await this.#join(length)

    // undefined is fine for a length of 0
    if ((bytes?.byteLength ?? 0) < length) {
      throw new CorruptFrameError(this.#codec, 'it is cut short')
    }

    return bytes ?? NOTHING
  }

  /**
   * Skip any number of bytes.
   *
   * @throws {CorruptFrameError} the stream is shorter
   */
  async skip (length: number): Promise<void> {
    for (let missing = length; missing > 0;) {
      const bytes = await this.take(missing)

      if (bytes == null) {
        throw new CorruptFrameError(this.#codec, 'it is cut short')
      }

      missing -= bytes.byteLength
    }
  }

  /** Close the source without waiting: one that stalls would never finish. */
  close (): void {
    this.#iterator.return?.()?.catch(() => {})
  }

  async #join (length: number): Promise<Uint8Array> {
    let bytes = new Uint8Array(Math.min(length, FIRST_ALLOCATION))
    let filled = 0

    while (filled < length) {
      const piece = await this.take(length - filled)

      if (piece == null) {
        break
      }

      if (filled + piece.byteLength > bytes.byteLength) {
        const larger = new Uint8Array(Math.min(length, Math.max(2 * bytes.byteLength, filled + piece.byteLength)))
        larger.set(bytes.subarray(0, filled))
        bytes = larger
      }

      bytes.set(piece, filled)
      filled += piece.byteLength
    }

    return bytes.subarray(0, filled)
  }

  async #pull (): Promise<boolean> {
    if (this.#ended) {
      return false
    }

    this.#signal?.throwIfAborted()

    try {
      const { done, value } = await raceSignal(this.#iterator.next(), this.#signal)

      if (done === true) {
        this.#ended = true
        return false
      }

      // a plain Uint8Array of this realm: slice() of a Buffer shares memory
      this.#chunk = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)

      return true
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }
}
