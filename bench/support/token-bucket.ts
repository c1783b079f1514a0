/** The bytes that a link that was idle takes at once, one packet of Ethernet. */
const DEPTH = 1500

/**
 * Says when bytes have left a link of a rate. It holds the tokens of one packet, so
 * what comes after a pause waits no longer than it would on the link.
 */
export class TokenBucket {
  /** Bytes that leave in a millisecond. */
  readonly rate: number
  readonly #now: () => number
  /** When the bucket is full, if nothing more is taken. */
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
