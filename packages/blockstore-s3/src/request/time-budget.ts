import { MIN_RATE } from '../constants.ts'

/**
 * The time of one transfer, or of one request with all its attempts and waits. A store that trickles cannot hold it for
 * longer.
 */
export class TimeBudget {
  readonly #milliseconds: number
  readonly #rate: number
  readonly #begin = performance.now()
  #bytes = 0

  /**
   * @param milliseconds - besides what the transferred bytes take
   * @param rate - at which they take it, in bytes per second
   */
  constructor (milliseconds: number, rate = MIN_RATE) {
    this.#milliseconds = milliseconds
    this.#rate = rate
  }

  /** Whether no time is left. @param bytes - that were transferred since the last call */
  isSpent (bytes = 0): boolean {
    this.#bytes += bytes

    return performance.now() - this.#begin >= this.#milliseconds + this.#bytes / this.#rate * 1000
  }
}
