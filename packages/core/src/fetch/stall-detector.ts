export interface StallDetectorInit {
  /**
   * The current time in milliseconds. Of a clock that stands still while nobody waits, only the waiting counts.
   *
   * @default performance.now
   */
  now?: (() => number) | undefined
  /**
   * The fewest bytes that count as an arrival, so that a trickle does not.
   *
   * @default 1
   */
  least?: number | undefined
}

/**
 * Tells for how long nothing has arrived over a link, below a root, from a peer or in a response. All that fetches asks
 * it whether what it waits for has stalled; the times are in `constants.ts`, in the table of times of a fetch.
 */
export class StallDetector {
  readonly now: () => number
  readonly #least: number
  /** Bytes since the last arrival that counts. */
  #bytes = 0
  #lastArrival = 0

  constructor ({ now = () => performance.now(), least = 1 }: StallDetectorInit = {}) {
    this.now = now
    this.#least = least
  }

  /** When something last arrived, by `now`, or 0. */
  get lastArrival (): number {
    return this.#lastArrival
  }

  /** Whether anything has ever arrived. */
  get hasBegun (): boolean {
    return this.#lastArrival > 0
  }

  arrived (bytes = this.#least): void {
    this.#bytes += bytes

    if (this.#bytes >= this.#least) {
      this.#bytes = 0
      this.#lastArrival = this.now()
    }
  }

  /** For how long nothing has arrived, in milliseconds, as one sees it who waits since a time. */
  silence (since: number): number {
    return this.now() - Math.max(since, this.#lastArrival)
  }

  /**
   * Call back once nothing has arrived for a time, or what is waited for takes too long whatever else arrives.
   *
   * @param time - in milliseconds
   * @param onStalled - called once, and perhaps at once
   * @returns a function that ends this
   */
  watch (
    time: number,
    onStalled: () => void,
    { since = this.now(), longest = Number.POSITIVE_INFINITY }: { since?: number, longest?: number } = {}
  ): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined

    const check = (): void => {
      const left = Math.min(time - this.silence(since), since + longest - this.now())

      if (left > 0) {
        timer = setTimeout(check, left)
      } else {
        onStalled()
      }
    }

    check()

    return () => { clearTimeout(timer) }
  }
}
