import { decodeZstdFrameInto } from '../format/zstd/zstd-decode.ts'
import type { Xxh64Low } from './fast-xxh64.ts'

/** Decodes frames before they are stored, so that a fault of their encoder loses nothing. */
export class FrameCheck {
  readonly #xxh64Low: Xxh64Low
  #memory = new Uint8Array(0)

  constructor (xxh64Low: Xxh64Low) {
    this.#xxh64Low = xxh64Low
  }

  /** Whether a frame decodes to `size` bytes that have its checksum. */
  passes (frame: Uint8Array, size: number, dictionary: Uint8Array): boolean {
    const all = dictionary.byteLength + size

    if (this.#memory.byteLength < all) {
      this.#memory = new Uint8Array(all)
    }

    try {
      decodeZstdFrameInto(this.#memory.subarray(0, all), frame, size, dictionary, this.#xxh64Low)

      return true
    } catch {
      return false
    }
  }
}
