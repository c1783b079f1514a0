/**
 * The rate at which bytes arrive, measured over batches: what was asked for together,
 * from then until nearly all of it is here. Shorter times say little, since several
 * blocks come in one message and arrive at once.
 */
export class RateMeter {
  /** Bytes a millisecond, 0 where that is not known. */
  rate = 0
  readonly #now: () => number
  #began = 0
  #bytes = 0
  /** The least time that a small block took, in milliseconds. */
  #latency = 0

  /** @param now - the time in milliseconds */
  constructor (now: () => number) {
    this.#now = now
  }

  /** A batch is asked for. */
  begin (): void {
    this.#began = this.#now()
    this.#bytes = 0
  }

  /** Bytes have arrived. */
  add (bytes: number): void {
    this.#bytes += bytes
  }

  /** A block of next to nothing has arrived: how long that took is no time in which others could have. */
  addLatency (time: number): void {
    this.#latency = Math.min(this.#latency || Number.POSITIVE_INFINITY, time)
  }

  /**
   * A batch has arrived.
   *
   * @param least - with fewer bytes than these it may have been faster than it seems
   */
  end (least: number): void {
    const passed = this.#now() - this.#began
    // it is a guess: of what has passed, two thirds count in any case
    const time = passed - Math.min(this.#latency, passed / 3)

    if (time <= 0 || this.#bytes === 0) {
      return
    }

    const rate = this.#bytes / time

    if (rate > this.rate) {
      this.rate = rate
    } else if (this.#bytes >= least) {
      this.rate = (this.rate + rate) / 2
    }
  }

  /** What was measured holds no longer. */
  reset (): void {
    this.rate = 0
  }
}
