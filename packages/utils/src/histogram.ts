/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** Counts how long things took. */
export class Histogram {
  readonly #buckets = BOUNDS.map(() => 0)
  #count = 0
  #sum = 0

  get count (): number {
    return this.#count
  }

  add (seconds: number): void {
    this.#count++
    this.#sum += seconds
    const bucket = BOUNDS.findIndex(bound => seconds <= bound)

    if (bucket !== -1) {
      this.#buckets[bucket]++
    }
  }

  /**
   * Its lines in Prometheus' text format, without the name.
   *
   * @param labels - what they are labelled with, such as `kind="get"`
   */
  print (labels = ''): string[] {
    const bucket = (bound: number | string, count: number): string =>
      `_bucket{${labels}${labels === '' ? '' : ','}le="${bound}"} ${count}`
    const braced = labels === '' ? '' : `{${labels}}`
    let below = 0

    return [
      ...BOUNDS.map((bound, i) => bucket(bound, below += this.#buckets[i])),
      bucket('+Inf', this.#count),
      `_sum${braced} ${this.#sum}`,
      `_count${braced} ${this.#count}`
    ]
  }
}
