import type { Answer } from './transport.ts'

/** The time to sign with: ours, until the store refuses it. */
export class StoreClock {
  readonly #now: () => number
  /** How far the store's clock is ahead of ours, in milliseconds. */
  #skew = 0
  /** How far the clocks of endpoints are ahead of the time since this process began, in milliseconds. */
  readonly #ahead = new Map<string, number>()

  /** @param now - in milliseconds since 1970 */
  constructor (now: () => number) {
    this.#now = now
  }

  get date (): Date {
    return new Date(this.#now() + this.#skew)
  }

  /**
   * @param date - the `Date` of an answer
   * @returns how far the store's clock is ahead of ours, in milliseconds
   */
  skewOf (date: string | undefined): number | undefined {
    const milliseconds = Date.parse(date ?? '')

    return Number.isNaN(milliseconds) ? undefined : milliseconds - this.#now()
  }

  /** An endpoint has answered: with its `Date`, and when that arrived by the clock of `performance.now`. */
  saw (endpoint: string, { headers, arrived }: Pick<Answer, 'arrived' | 'headers'>): void {
    const milliseconds = Date.parse(headers.date ?? '')

    if (!Number.isNaN(milliseconds)) {
      this.#ahead.set(endpoint, milliseconds - arrived)
    }
  }

  /**
   * The present by the clock of each endpoint, as far as it has answered, whatever is learned of it later. After this
   * process stood still it may be the time before that: never a later one than it is.
   */
  get present (): (endpoint: string) => Date {
    const ahead = new Map(this.#ahead)
    const now = performance.now()
    const { date } = this

    return endpoint => {
      const one = ahead.get(endpoint) ?? ahead.values().next().value

      return one == null ? date : new Date(one + now)
    }
  }

  /** Sign with the store's time from now on. */
  correct (skew: number): void {
    this.#skew = skew
  }
}
