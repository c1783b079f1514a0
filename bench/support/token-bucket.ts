/** The bytes that an idle link sends at once: one Ethernet packet. */
const DEPTH = 1500

/**
 * Computes when bytes have left a link of a given rate. It holds the tokens of one packet,
 * so bytes after a pause wait no longer than they would on the link.
 */
export class TokenBucket {
  /** Bytes a millisecond. */
  readonly rate: number
  readonly #now: () => number
  /** When the bucket will be full if nothing more is taken. */
  #full = Number.NEGATIVE_INFINITY

  /**
   * @param rate - bits a second
   * @param now - the time in milliseconds
   */
  constructor (rate: number, now: () => number = () => performance.now()) {
    this.rate = rate / 8 / 1000
    this.#now = now
  }

  /** Take the tokens of bytes, and return the time in milliseconds at which the last byte has left. */
  take (bytes: number): number {
    const now = this.#now()
    this.#full = Math.max(this.#full, now) + bytes / this.rate

    return Math.max(now, this.#full - DEPTH / this.rate)
  }
}
