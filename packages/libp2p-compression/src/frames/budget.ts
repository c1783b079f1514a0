// Room: frames on a connection, and the limit against decompression bombs.
import { MAX_RATIO, RATIO_ALLOWANCE } from '../constants.ts'
import { DecompressionBombError } from '../errors.ts'
import { MIN_PADDING } from './frame.ts'

/**
 * Limits how far frames may expand: every run of consecutive frames decodes to at most
 * MAX_RATIO times its bytes on the wire, plus RATIO_ALLOWANCE bytes. Both sides count the
 * same frames, so a sender knows what its receiver will accept.
 *
 * One number is enough, as in a leaky bucket: the largest excess of any run that ends here.
 */
export class RatioBudget {
  #excess = 0

  /**
   * Count a frame.
   *
   * @param wire - its bytes on the wire, including the header
   * @param size - the bytes it decodes to
   * @throws {DecompressionBombError} the frame exceeds the limit
   */
  spend (wire: number, size: number): void {
    const excess = this.#after(wire, size)

    if (excess > RATIO_ALLOWANCE) {
      throw new DecompressionBombError(excess - RATIO_ALLOWANCE, MAX_RATIO)
    }

    this.#excess = excess
  }

  /** The length of the padding frame that has to precede a frame, or 0 if it needs none. */
  padding (wire: number, size: number): number {
    const missing = this.#after(wire, size) - RATIO_ALLOWANCE

    return missing > 0 ? Math.max(MIN_PADDING, Math.ceil(missing / MAX_RATIO)) : 0
  }

  #after (wire: number, size: number): number {
    return Math.max(0, this.#excess + size - MAX_RATIO * wire)
  }
}
