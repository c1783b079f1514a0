import { raceSignal } from 'race-signal'
import { CorruptFrameError } from '../errors.ts'
import { Turns } from './turns.ts'

/** What is first allocated for bytes that come from several chunks. It grows with what comes, not with what is asked for. */
const FIRST_ALLOCATION = 16 * 1024

const NOTHING = new Uint8Array(0)

/**
 * What a decoder reads: chunks of any size, in the pieces that it asks for. Nothing
 * is pulled that was not asked for, and what lies in one chunk is not copied.
 */
export class StreamInput {
  readonly #codec: string
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #signal: AbortSignal | null | undefined
  readonly #turns = new Turns()
  /** What has been pulled and not been taken. */
  #chunk: Uint8Array = NOTHING
  #ended = false
  /** What the source failed with: that is no fault of the stream. */
  failure?: { error: unknown }

  constructor (codec: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal | null) {
    this.#codec = codec
    this.#iterator = source[Symbol.asyncIterator]()
    this.#signal = signal
  }

  /** The bytes that are here, at least one and at most `max`; undefined at the end. */
  async take (max: number = Number.POSITIVE_INFINITY): Promise<Uint8Array | undefined> {
    // frames of nothing may follow each other without end
    await this.#turns.next()

    while (this.#chunk.byteLength === 0) {
      if (!await this.#pull()) {
        return undefined
      }
    }

    const bytes = this.#chunk.subarray(0, max)
    this.#chunk = this.#chunk.subarray(bytes.byteLength)

    return bytes
  }

  /** Put bytes back that were taken last. */
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

  /** The next `length` bytes, which stay where they are. Fewer only where the stream ends before. */
  async peek (length: number): Promise<Uint8Array> {
    if (this.#chunk.byteLength >= length) {
      return this.#chunk.subarray(0, length)
    }

    const bytes = await this.#gather(length)
    this.unread(bytes)

    return bytes
  }

  /**
   * The next `length` bytes.
   *
   * @throws {CorruptFrameError} the stream ends before
   */
  async read (length: number): Promise<Uint8Array> {
    const bytes = this.#chunk.byteLength >= length ? await this.take(length) : await this.#gather(length)

    // nothing is taken where nothing is asked for
    if ((bytes?.byteLength ?? 0) < length) {
      throw new CorruptFrameError(this.#codec, 'it is cut short')
    }

    return bytes ?? NOTHING
  }

  /**
   * Pass over bytes, however many there are.
   *
   * @throws {CorruptFrameError} the stream ends before
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

  /** Give the source up. Not awaited: one that stalls would keep the caller waiting. */
  close (): void {
    this.#iterator.return?.()?.catch(() => {})
  }

  async #gather (length: number): Promise<Uint8Array> {
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

      // of this realm, and no Buffer, whose subarray and slice are others
      this.#chunk = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)

      return true
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }
}
