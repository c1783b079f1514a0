/** What counts as the last seconds, in milliseconds. */
const WINDOW = 5000
/** What is added within this time counts as one arrival, in milliseconds. */
const STEP = 250
/** The rate covers at least two arrivals: on a slow link, blocks come further apart than the window is long. */
const MIN_SAMPLES = 3

interface Sample {
  /** When the first of what it counts was added. */
  from: number
  /** When the last was added. */
  time: number
  /** The total by then. */
  total: number
}

/** How fast a total grew in the last seconds. Times are in milliseconds. */
export class RecentRate {
  /** The oldest first: the rate is measured from it. */
  readonly #samples: Sample[]

  /** @param start - when the total was 0 */
  constructor (start: number) {
    this.#samples = [{ from: Number.NEGATIVE_INFINITY, time: start, total: 0 }]
  }

  /** When the total last grew. */
  get lastTime (): number {
    return this.#last.time
  }

  get total (): number {
    return this.#last.total
  }

  /** Record the total. */
  update (total: number, now: number): void {
    const last = this.#last

    if (total === last.total) {
      return
    }

    if (now - last.from < STEP) {
      last.time = now
      last.total = total
    } else {
      this.#samples.push({ from: now, time: now, total })
    }

    this.#forget(now)
  }

  /** What was added per second. */
  at (now: number): number {
    this.#forget(now)
    const [first] = this.#samples

    return (this.#last.total - first.total) / Math.max(now - first.time, 1) * 1000
  }

  get #last (): Sample {
    return this.#samples[this.#samples.length - 1]
  }

  #forget (now: number): void {
    const samples = this.#samples

    while (samples.length > MIN_SAMPLES && samples[1].time <= now - WINDOW) {
      samples.shift()
    }
  }
}
