/** One line of stderr that says what is measured now. Without a terminal it does nothing. */
export class Status {
  readonly #time: number
  readonly #start = performance.now()

  /**
   * @param time - seconds that all of it may take
   */
  constructor (time: number) {
    this.#time = time
  }

  show (label: string): void {
    if (process.stderr.isTTY) {
      const seconds = Math.round((performance.now() - this.#start) / 1000)

      process.stderr.write(`\r\x1b[K${label} ...  ${seconds} of at most ${this.#time} s`)
    }
  }

  /** Take the line away. */
  end (): void {
    if (process.stderr.isTTY) {
      process.stderr.write('\r\x1b[K')
    }
  }
}
