// Room: the memory that all responses share, and their turns.
import { copyPart } from './copy-part.ts'
import { PART_SIZE } from './turns.ts'

/**
 * Bytes that are sent, and can be read again. Only this holds them: what a generator has in a variable lives until the
 * client reads on.
 */
export class BlockBox {
  #bytes: Uint8Array | undefined
  readonly #read: () => Promise<Uint8Array>

  /** @param read - reads the same bytes again */
  constructor (bytes: Uint8Array, read: () => Promise<Uint8Array>) {
    this.#bytes = bytes
    this.#read = read
  }

  /** Let go of the bytes. False: they are not here. */
  drop (): boolean {
    const isHeld = this.#bytes != null
    this.#bytes = undefined

    return isHeld
  }

  /** The bytes, read again if they were dropped. */
  async bytes (): Promise<Uint8Array> {
    this.#bytes ??= await this.#read()

    return this.#bytes
  }

  /** Copies of small parts, which keep nothing of the rest. */
  async * parts (): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; at += PART_SIZE) {
      const part = copyPart(await this.bytes(), at, at + PART_SIZE)

      if (part.byteLength === 0) {
        return
      }

      yield part

      if (part.byteLength < PART_SIZE) {
        return
      }
    }
  }
}
