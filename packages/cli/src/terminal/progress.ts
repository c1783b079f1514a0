import { columnsOf, DEFAULT_COLUMNS, shorten } from './columns.ts'
import { count, formatSize } from './units.ts'
import type { Io } from '../io.ts'
import type { Stats } from '@ipfsz/core'

/** The bar appears after this time, in milliseconds. */
const DELAY = 1000
/** How often the bar is drawn, in milliseconds. */
const INTERVAL = 100
/** Columns of the bar. */
const WIDTH = 24
/** Moves to the start of the line, and deletes it. */
const CLEAR = '\r\x1b[K'

/** The number of bytes that reading will yield, or undefined if that is unknown. */
export function knownSize ({ size, sizeKnown }: Pick<Stats, 'size' | 'sizeKnown'>): number | undefined {
  return sizeKnown === false ? undefined : Number(size)
}

/** Make a callback that adds what is done to a progress bar. */
export function counter (progress: Pick<Progress, 'update'>): (done: number) => void {
  let total = 0

  return done => { progress.update(total += done) }
}

export interface ProgressInit {
  label: string
  /** Bytes or things to come. Default: unknown. */
  total?: number | undefined
  /** What is counted, such as `block`. Default: bytes. */
  thing?: string | undefined
}

/**
 * A progress bar, which appears after a second, and moves even while nothing arrives. Does nothing if stderr is not a
 * terminal.
 */
export class Progress {
  readonly #init: ProgressInit
  readonly #io: Pick<Io, 'stderr' | 'now'>
  readonly #start: number
  readonly #timer: NodeJS.Timeout | undefined
  #done = 0
  #drawn = 0
  #isShown = false

  constructor (io: Pick<Io, 'stderr' | 'now'>, init: ProgressInit) {
    this.#init = init
    this.#io = io
    this.#start = io.now()
    this.#timer = io.stderr.isTTY === true ? setInterval(() => { this.#draw() }, INTERVAL).unref() : undefined
  }

  /** Show that this many bytes or things are done. */
  update (done: number): void {
    this.#done = done
    this.#draw()
  }

  /** Remove the bar until it is drawn again, to print something else. */
  clear (): void {
    if (this.#isShown) {
      this.#isShown = false
      this.#io.stderr.write(CLEAR)
    }
  }

  /** Remove the bar. */
  end (): void {
    clearInterval(this.#timer)
    this.clear()
  }

  #draw (): void {
    const { stderr } = this.#io
    const now = this.#io.now()

    if (stderr.isTTY === true && now - this.#start > DELAY && now - this.#drawn > INTERVAL) {
      this.#drawn = now
      this.#isShown = true
      stderr.write(`${CLEAR}${this.#line((now - this.#start) / 1000)}`)
    }
  }

  #line (seconds: number): string {
    const { label, total = 0 } = this.#init
    const done = this.#done
    const width = this.#io.stderr.columns || DEFAULT_COLUMNS
    const speed = `${this.#amount(Math.round(done / seconds))}/s`

    if (total === 0) {
      return fit(label, [[this.#amount(done), speed], [this.#amount(done)]], width)
    }

    const part = Math.min(1, done / total)
    const full = Math.round(part * WIDTH)
    const left = done === 0 ? [] : [`${Math.max(0, Math.ceil((total - done) / (done / seconds)))} s left`]

    const percent = `${Math.floor(part * 100)} %`
    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent}`
    const sizes = `${this.#init.thing == null ? formatSize(done) : done} of ${this.#amount(total)}`

    return fit(
      label,
      [[bar, sizes, speed, ...left], [bar, speed, ...left], [bar, ...left], [percent, ...left]],
      width
    )
  }

  #amount (number: number): string {
    return this.#init.thing == null ? formatSize(number) : count(number, this.#init.thing)
  }
}

/**
 * The first choice that leaves room for the label, or the last one with a shorter label. A line that wraps could not
 * be removed again.
 */
function fit (label: string, choices: readonly string[][], width: number): string {
  // in the last column, some terminals wrap
  const room = width - 1
  const lines = choices.map(parts => parts.map(part => `  ${part}`).join(''))
  const line = lines.find(line => columnsOf(label) + line.length <= room) ?? lines[lines.length - 1]

  return `${shorten(label, room - line.length)}${line}`.slice(0, Math.max(0, room))
}
