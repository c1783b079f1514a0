import type { Io } from '../io.ts'

/** One line of stderr that says what is measured now. Without a terminal it does nothing. */
export class Status {
  readonly #io: Pick<Io, 'stderr' | 'now'>
  readonly #time: number
  readonly #start: number

  /**
   * @param time - seconds that all of it may take
   */
  constructor (io: Pick<Io, 'stderr' | 'now'>, time: number) {
    this.#io = io
    this.#start = io.now()
    this.#time = time
  }

  show (label: string): void {
    if (this.#io.stderr.isTTY === true) {
      const seconds = Math.round((this.#io.now() - this.#start) / 1000)

      this.#io.stderr.write(`\r\x1b[K${label} ...  ${seconds} of at most ${this.#time} s`)
    }
  }

  /** Take the line away. */
  end (): void {
    if (this.#io.stderr.isTTY === true) {
      this.#io.stderr.write('\r\x1b[K')
    }
  }
}
