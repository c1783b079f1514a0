import { canRedraw, DEFAULT_COLUMNS, shorten } from '../terminal/columns.ts'
import type { Io } from '../io.ts'

/** How often the line is drawn, in milliseconds. */
const INTERVAL = 100

/**
 * Shows on one line of stderr what is being measured, and for how long. Does nothing without a terminal,
 * and on a dumb one.
 */
export class Status {
  readonly #io: Pick<Io, 'stderr' | 'now'>
  readonly #canRedraw: boolean
  readonly #time: number
  readonly #start: number
  #timer: NodeJS.Timeout | undefined
  #label = ''
  #shown = ''

  /**
   * @param time - the time limit in seconds
   */
  constructor (io: Pick<Io, 'stderr' | 'now' | 'env'>, time: number) {
    this.#io = io
    this.#canRedraw = canRedraw(io.stderr, io.env)
    this.#start = io.now()
    this.#time = time
  }

  /** Show a label, at once if it is the first one, and otherwise when the line is drawn the next time. */
  show (label: string): void {
    this.#label = label

    if (this.#canRedraw && this.#timer == null) {
      this.#timer = setInterval(() => { this.#draw() }, INTERVAL).unref()
      this.#draw()
    }
  }

  /** Clears the line. */
  end (): void {
    clearInterval(this.#timer)

    if (this.#canRedraw) {
      this.#io.stderr.write('\r\x1b[K')
    }
  }

  #draw (): void {
    const seconds = Math.round((this.#io.now() - this.#start) / 1000)
    const time = ` ...  ${seconds} of at most ${this.#time} s`
    // in the last column, some terminals wrap
    const room = (this.#io.stderr.columns || DEFAULT_COLUMNS) - 1
    const line = `${shorten(this.#label, room - time.length)}${time}`.slice(0, room)

    if (line !== this.#shown) {
      this.#shown = line
      this.#io.stderr.write(`\r\x1b[K${line}`)
    }
  }
}
