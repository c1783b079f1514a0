import { InvalidCarError } from '../errors.ts'
import { formatSize } from '@ipfsz/utils/format-size'
import { raceSignal } from 'race-signal'

/** Maximum number of bytes of a section or a header: go-car's limit for a section. Blocks have up to 2 MiB. */
export const MAX_CAR_SECTION_SIZE = 8 * 1024 * 1024

/** Maximum number of bytes of a varint. */
const MAX_VARINT_LENGTH = 9

/**
 * Splits the stream of a CAR into its header and sections. Checks the length of each before reading it. @ipld/car is
 * not used: it buffers as many bytes as a length asks for.
 */
export class CarInput {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #name: string
  readonly #signal: AbortSignal
  #buffer: Uint8Array = new Uint8Array(0)
  /** How many bytes come before the end, Infinity if unknown. */
  #left = Infinity

  /** @param name - the CAR's name in errors */
  constructor (source: AsyncIterable<Uint8Array>, name: string, signal: AbortSignal) {
    this.#iterator = source[Symbol.asyncIterator]()
    this.#name = name
    this.#signal = signal
  }

  /**
   * Read the next header or section, which follows its length. Undefined at the end.
   *
   * @throws {InvalidCarError} it is too long, empty, or cut short
   */
  async piece (): Promise<Uint8Array | undefined> {
    if (this.#left > 0) {
      await this.#fill(MAX_VARINT_LENGTH)
    }

    if (this.#left === 0 || this.#buffer.byteLength === 0) {
      return undefined
    }

    const length = this.#varint()

    if (length === 0) {
      throw this.invalid('it has an empty section')
    }

    if (length > MAX_CAR_SECTION_SIZE) {
      throw this.invalid(
        `it has a section of ${length} bytes, which exceeds the limit of ${formatSize(MAX_CAR_SECTION_SIZE)}`
      )
    }

    return this.exactly(length)
  }

  /** Read a given number of bytes. */
  async exactly (length: number): Promise<Uint8Array> {
    await this.#fill(length)

    if (this.#buffer.byteLength < length || this.#left < length) {
      throw new InvalidCarError(
        `${this.#name} is truncated: it ends in the middle of a block. Get the complete file and try again`
      )
    }

    return this.#take(length)
  }

  /** Read bytes and discard them. */
  async skip (length: number): Promise<void> {
    for (let rest = length; rest > 0;) {
      await this.#fill(1)
      rest -= (await this.exactly(Math.min(Math.max(this.#buffer.byteLength, 1), rest))).byteLength
    }
  }

  /** Treat the next `length` bytes as the last ones. */
  limit (length: number): void {
    this.#left = length
  }

  /** Stop reading and close the source. One that sends nothing is closed once it sends something. */
  async close (): Promise<void> {
    await raceSignal(Promise.resolve(this.#iterator.return?.()), this.#signal).catch((err: unknown) => {
      if (!this.#signal.aborted) {
        throw err
      }
    })
  }

  invalid (reason: string, options?: ErrorOptions): InvalidCarError {
    return new InvalidCarError(`${this.#name} is not a CAR, or is damaged: ${reason}`, options)
  }

  #varint (): number {
    let value = 0

    for (const [i, byte] of this.#buffer.subarray(0, MAX_VARINT_LENGTH).entries()) {
      value += (byte & 0x7f) * 2 ** (7 * i)

      if (byte < 0x80) {
        this.#take(i + 1)
        return value
      }
    }

    throw this.invalid(`the length of a section takes more than ${MAX_VARINT_LENGTH} bytes`)
  }

  #take (length: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, length)

    this.#buffer = this.#buffer.subarray(length)
    this.#left -= length

    return bytes
  }

  /** Buffer at least `length` bytes, or fewer if the source ends. */
  async #fill (length: number): Promise<void> {
    const chunks: Uint8Array[] = [this.#buffer]

    for (let size = this.#buffer.byteLength; size < length;) {
      const { done, value } = await raceSignal(this.#iterator.next(), this.#signal)

      if (done === true) {
        break
      }

      chunks.push(value)
      size += value.byteLength
    }

    if (chunks.length > 1) {
      this.#buffer = Buffer.concat(chunks)
    }
  }
}
