import type { Io } from '../io.ts'

/** Shows on one line of stderr what is being measured. Does nothing without a terminal. */
export class Status {
  readonly #io: Pick<Io, 'stderr' | 'now'>
  readonly #time: number
  readonly #start: number

  /**
   * @param time - the time limit in seconds
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

  /** Clears the line. */
  end (): void {
    if (this.#io.stderr.isTTY === true) {
      this.#io.stderr.write('\r\x1b[K')
    }
  }
}
