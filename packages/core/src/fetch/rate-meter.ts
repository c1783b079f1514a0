/** Blocks of one message arrive at once: a burst has gaps below 20 ms, and lasts at most 200 ms. */
const BURST_GAP = 20
const BURST_TIME = 200
/** Milliseconds. A shorter interval says little, unless nothing was in flight before it. */
const LEAST_TIME = 100
/** Milliseconds. If fewer bytes arrived than this time's worth, the link may be faster than measured. */
const LEAST_BYTES = 500

/**
 * Measures the rate at which bytes arrive. The blocks of one message arrive as a burst, so the rate is measured from
 * the end of one burst to the end of another. If nothing was in flight before, it is measured from the request.
 */
export class RateMeter {
  /** Bytes per millisecond, 0 if unknown. Set to 0, it is measured anew. */
  rate = 0
  readonly #now: () => number
  #from = 0
  #bytes = 0
  #burst = 0
  #lastArrival = 0
  /** Whether nothing was in flight when the current interval began. */
  #fresh = true
  /** The shortest time that a small block took, in milliseconds. */
  #latency = 0

  /** @param now - the current time in milliseconds */
  constructor (now: () => number) {
    this.#now = now
  }

  /** Call when a block is requested while nothing is in flight. */
  begin (): void {
    this.#start(this.#now(), true)
    this.#burst = this.#from
    this.#lastArrival = this.#from
  }

  /** Call when bytes have arrived. */
  add (bytes: number): void {
    const now = this.#now()

    if (now - this.#lastArrival >= BURST_GAP || now - this.#burst >= BURST_TIME) {
      this.measure()
      this.#burst = now
    }

    this.#bytes += bytes
    this.#lastArrival = now
  }

  /** Call when a tiny block has arrived: its time is the round trip, in which nothing else could arrive. */
  addLatency (time: number): void {
    this.#latency = Math.min(this.#latency || Number.POSITIVE_INFINITY, time)
  }

  /** Update the rate at the end of a burst, or when nothing is in flight any more. */
  measure (): void {
    const passed = this.#lastArrival - this.#from
    // at least two thirds of the time count, because the round trip is only an estimate
    const time = this.#fresh ? passed - Math.min(this.#latency, passed / 3) : passed

    if (this.#bytes === 0 || time <= 0 || (!this.#fresh && time < LEAST_TIME)) {
      return
    }

    const rate = this.#bytes / time

    // otherwise keep measuring until there is more data
    if (rate > this.rate || this.#bytes >= this.rate * LEAST_BYTES) {
      this.rate = this.#fresh && rate > this.rate ? rate : (this.rate + rate) / 2
      this.#start(this.#lastArrival, false)
    }
  }

  #start (from: number, fresh: boolean): void {
    this.#from = from
    this.#bytes = 0
    this.#fresh = fresh
  }
}
