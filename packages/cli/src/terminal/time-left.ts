/** After how many seconds what was done counts half: the speed changes with sizes of files, and with the network. */
const HALF_LIFE = 20
/** From which part, and after how many seconds, there is an estimate: before, it would tell how long the start took. */
const MIN_PART = 0.01
const MIN_SECONDS = 3
/** By which factor the estimate changes in a second at most, besides counting down. */
const MAX_CHANGE = 1.25

/** Estimates how long the rest of some work takes. Ask it about once a second. */
export class TimeLeft {
  readonly #start: number
  #time: number
  #done = 0
  /** What was done, and in how many seconds: what is long ago counts less. */
  #weighted = { done: 0, seconds: 0 }
  #last: number | undefined

  /** @param start - when nothing was done, in milliseconds */
  constructor (start: number) {
    this.#start = start
    this.#time = start
  }

  /**
   * Seconds. Undefined: that cannot be said yet.
   *
   * @param total - 0: unknown
   */
  at (done: number, total: number, now: number): number | undefined {
    const seconds = Math.max(now - this.#time, 1) / 1000
    const kept = 0.5 ** (seconds / HALF_LIFE)
    this.#weighted = {
      done: this.#weighted.done * kept + done - this.#done,
      seconds: this.#weighted.seconds * kept + seconds
    }
    this.#time = now
    this.#done = done

    const rate = this.#weighted.done / this.#weighted.seconds
    const isEarly = now - this.#start < MIN_SECONDS * 1000 || total === 0 || done < total * MIN_PART
    this.#last = isEarly || rate <= 0 ? undefined : this.#near(Math.max(0, total - done) / rate, seconds)

    return this.#last
  }

  /** An estimate that is not far from the last one, which was so many seconds ago. */
  #near (estimate: number, seconds: number): number {
    if (this.#last == null || estimate === 0) {
      return estimate
    }

    const change = MAX_CHANGE ** seconds

    return Math.min(Math.max(estimate, (this.#last - seconds) / change), Math.max(this.#last, 1) * change)
  }
}
