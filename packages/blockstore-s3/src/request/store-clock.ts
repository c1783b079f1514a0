/** The time to sign with: ours, until the store refuses it. */
export class StoreClock {
  readonly #now: () => number
  /** How far the store's clock is ahead of ours, in milliseconds. */
  #skew = 0

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

  /** Sign with the store's time from now on. */
  correct (skew: number): void {
    this.#skew = skew
  }
}
