/** What comes in one message arrives at once: blocks with less than this between them, in milliseconds, and for no longer than that. */
const BURST_GAP = 20
const BURST_TIME = 200
/** Shorter times say little where something was under way before, in milliseconds. */
const LEAST_TIME = 100
/** With fewer bytes than arrive in this time, in milliseconds, a link may have been faster than it seems. */
const LEAST_BYTES = 500

/**
 * The rate at which bytes arrive. Several blocks come in one message and arrive at once,
 * so it is measured from the end of one burst to the end of another: over all that came
 * between them, or since it was asked for where nothing was under way.
 */
export class RateMeter {
  /** Bytes a millisecond, 0 where that is not known. */
  rate = 0
  readonly #now: () => number
  #from = 0
  #bytes = 0
  #burst = 0
  #lastArrival = 0
  /** Whether nothing was under way before. */
  #fresh = true
  /** The least time that a small block took, in milliseconds. */
  #latency = 0

  /** @param now - the time in milliseconds */
  constructor (now: () => number) {
    this.#now = now
  }

  /** Something is asked for while nothing is under way. */
  begin (): void {
    this.#start(this.#now(), true)
    this.#burst = this.#from
    this.#lastArrival = this.#from
  }

  /** Bytes have arrived. */
  add (bytes: number): void {
    const now = this.#now()

    if (now - this.#lastArrival >= BURST_GAP || now - this.#burst >= BURST_TIME) {
      this.measure()
      this.#burst = now
    }

    this.#bytes += bytes
    this.#lastArrival = now
  }

  /** A block of next to nothing has arrived: how long that took is no time in which others could have. */
  addLatency (time: number): void {
    this.#latency = Math.min(this.#latency || Number.POSITIVE_INFINITY, time)
  }

  /** A burst is over, as it is when nothing is under way any more. */
  measure (): void {
    const passed = this.#lastArrival - this.#from
    // of what has passed, two thirds count in any case: how long the way took is a guess
    const time = this.#fresh ? passed - Math.min(this.#latency, passed / 3) : passed

    if (this.#bytes === 0 || time <= 0 || (!this.#fresh && time < LEAST_TIME)) {
      return
    }

    const rate = this.#bytes / time

    // with less it goes on until there is more to say
    if (rate > this.rate || this.#bytes >= this.rate * LEAST_BYTES) {
      this.rate = this.#fresh && rate > this.rate ? rate : (this.rate + rate) / 2
      this.#start(this.#lastArrival, false)
    }
  }

  /** What was measured holds no longer. */
  reset (): void {
    this.rate = 0
  }

  #start (from: number, fresh: boolean): void {
    this.#from = from
    this.#bytes = 0
    this.#fresh = fresh
  }
}
