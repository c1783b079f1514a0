import { MAX_RATIO, RATIO_ALLOWANCE } from '../constants.ts'
import { DecompressionBombError } from '../errors.ts'
import { MIN_PADDING } from './frame.ts'

/**
 * The rule that frames in a row, wherever it begins and however long it is, decode to
 * at most MAX_RATIO times their bytes on the wire and RATIO_ALLOWANCE beyond. Both
 * sides count the same frames, so a sender knows what its receiver will accept.
 *
 * As with a leaky bucket one number is enough: the largest excess of any row that ends
 * here.
 */
export class RatioBudget {
  #excess = 0

  /**
   * Count a frame that was or will be sent or received.
   *
   * @param wire - its bytes with its header
   * @throws {DecompressionBombError} it breaks the rule
   */
  spend (wire: number, size: number): void {
    const excess = this.#after(wire, size)

    if (excess > RATIO_ALLOWANCE) {
      throw new DecompressionBombError(excess - RATIO_ALLOWANCE, MAX_RATIO)
    }

    this.#excess = excess
  }

  /** How long a frame of padding must be that goes before such a frame, 0 for none. */
  padding (wire: number, size: number): number {
    const missing = this.#after(wire, size) - RATIO_ALLOWANCE

    return missing > 0 ? Math.max(MIN_PADDING, Math.ceil(missing / MAX_RATIO)) : 0
  }

  #after (wire: number, size: number): number {
    return Math.max(0, this.#excess + size - MAX_RATIO * wire)
  }
}
