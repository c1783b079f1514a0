import { DEFAULT_COLUMNS, shorten } from '../terminal/columns.ts'
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

      const time = ` ...  ${seconds} of at most ${this.#time} s`
      // in the last column, some terminals wrap
      const room = (this.#io.stderr.columns || DEFAULT_COLUMNS) - 1

      this.#io.stderr.write(`\r\x1b[K${`${shorten(label, room - time.length)}${time}`.slice(0, room)}`)
    }
  }

  /** Clears the line. */
  end (): void {
    if (this.#io.stderr.isTTY === true) {
      this.#io.stderr.write('\r\x1b[K')
    }
  }
}
