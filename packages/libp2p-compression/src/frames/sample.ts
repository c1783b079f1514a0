import { MAX_WORTHWHILE_RATIO, SAMPLE_PIECES, SAMPLE_SIZE } from '../constants.ts'
import type { Uint8ArrayList } from 'uint8arraylist'

const BITS = 8

/** A histogram of some of the sent bytes. It costs far less than compressing them, but does not show repetitions. */
export class Sample {
  readonly #counts = new Uint32Array(256)
  #size = 0

  /** Whether the sample has enough bytes to decide. Fewer always look compressible. */
  get full (): boolean {
    return this.#size >= SAMPLE_SIZE
  }

  /**
   * Whether an optimal code for single bytes would shrink the sample enough, by the entropy
   * of the histogram. Random bytes have 7.95 bits a byte, text 4 to 5.
   */
  get compressible (): boolean {
    const counts = this.#counts
    const size = this.#size
    let bits = 0

    // for...of takes four times as long
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]

      if (count > 0) {
        bits -= count * Math.log2(count / size)
      }
    }

    return bits <= size * BITS * MAX_WORTHWHILE_RATIO
  }

  /** Add short input completely, and evenly spaced pieces of longer input. */
  add (bytes: Uint8ArrayList): void {
    if (bytes.byteLength <= SAMPLE_SIZE) {
      this.#count(bytes.subarray())
      return
    }

    const length = SAMPLE_SIZE / SAMPLE_PIECES
    const step = (bytes.byteLength - length) / (SAMPLE_PIECES - 1)

    for (let i = 0; i < SAMPLE_PIECES; i++) {
      const start = Math.floor(i * step)
      this.#count(bytes.subarray(start, start + length))
    }
  }

  clear (): void {
    this.#counts.fill(0)
    this.#size = 0
  }

  #count (bytes: Uint8Array): void {
    const counts = this.#counts

    for (let i = 0; i < bytes.length; i++) {
      counts[bytes[i]]++
    }

    this.#size += bytes.byteLength
  }
}
