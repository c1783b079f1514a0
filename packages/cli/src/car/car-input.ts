import { InvalidCarError } from '../errors.ts'
import { formatSize } from '../terminal/units.ts'

/** The most bytes of a section or a header, 8 MiB: what go-car takes of a section. Blocks have up to 2 MiB. */
export const MAX_CAR_SECTION_SIZE = 8 * 1024 * 1024

/** The most bytes of a varint, which go on as long as their first bit says so. */
const MAX_VARINT_LENGTH = 9

/**
 * The bytes of a CAR as they come, in the pieces that it says. How long each is is looked
 * at before it is read: not by @ipld/car, which buffers whatever a length asks for.
 */
export class CarInput {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #name: string
  #buffer: Uint8Array = new Uint8Array(0)
  /** How many bytes come before the end, where that is known. */
  #left = Infinity

  /** @param name - what the CAR is called in errors */
  constructor (source: AsyncIterable<Uint8Array>, name: string) {
    this.#iterator = source[Symbol.asyncIterator]()
    this.#name = name
  }

  /**
   * A piece behind its length, undefined at the end.
   *
   * @throws {InvalidCarError} it is longer than a piece may be, of no bytes, or cut short
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
      throw this.invalid('it has a section of no bytes')
    }

    if (length > MAX_CAR_SECTION_SIZE) {
      throw this.invalid(`it has a section of ${length} bytes, and more than ${formatSize(MAX_CAR_SECTION_SIZE)} are not taken`)
    }

    return this.exactly(length)
  }

  /** @throws {InvalidCarError} there are fewer */
  async exactly (length: number): Promise<Uint8Array> {
    await this.#fill(length)

    if (this.#buffer.byteLength < length || this.#left < length) {
      throw new InvalidCarError(`${this.#name} is cut short: it ends in the middle of a block`)
    }

    return this.#take(length)
  }

  /** Pass over bytes, which are read and not kept. */
  async skip (length: number): Promise<void> {
    for (let rest = length; rest > 0;) {
      await this.#fill(1)
      rest -= (await this.exactly(Math.min(Math.max(this.#buffer.byteLength, 1), rest))).byteLength
    }
  }

  /** Take what comes behind so many bytes for no part of it. */
  limit (length: number): void {
    this.#left = length
  }

  /** Read nothing more. */
  async close (): Promise<void> {
    await this.#iterator.return?.()
  }

  invalid (reason: string, options?: ErrorOptions): InvalidCarError {
    return new InvalidCarError(`${this.#name} is not a CAR, or a damaged one: ${reason}`, options)
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

    throw this.invalid('the length of a section has no end')
  }

  #take (length: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, length)

    this.#buffer = this.#buffer.subarray(length)
    this.#left -= length

    return bytes
  }

  /** Have so many bytes at hand, fewer only where it ends. */
  async #fill (length: number): Promise<void> {
    const chunks: Uint8Array[] = [this.#buffer]

    for (let size = this.#buffer.byteLength; size < length;) {
      const { done, value } = await this.#iterator.next()

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
