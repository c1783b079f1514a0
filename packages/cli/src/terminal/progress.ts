import { formatSize } from './units.ts'
import type { Io } from '../io.ts'
import type { Stats } from '@ipfsz/core'

/** The bar appears after this time, in milliseconds. */
const DELAY = 1000
/** How often the bar is drawn, in milliseconds. */
const INTERVAL = 100
/** Columns of the bar. */
const WIDTH = 24
/** Columns of a terminal that does not say how many it has. */
const DEFAULT_COLUMNS = 80

/** The number of bytes that reading will yield, or undefined if that is unknown. */
export function knownSize ({ size, sizeKnown }: Pick<Stats, 'size' | 'sizeKnown'>): number | undefined {
  return sizeKnown === false ? undefined : Number(size)
}

/** A progress bar, which appears after a second. Does nothing if stderr is not a terminal. */
export class Progress {
  readonly #label: string
  readonly #total?: number
  readonly #io: Pick<Io, 'stderr' | 'now'>
  readonly #start: number
  #drawn = 0

  /**
   * @param total - bytes to come, if that is known
   */
  constructor (io: Pick<Io, 'stderr' | 'now'>, label: string, total?: number) {
    this.#io = io
    this.#start = io.now()
    this.#label = label
    this.#total = total
  }

  /** Show that `done` bytes are done. */
  update (done: number): void {
    const { stderr } = this.#io
    const now = this.#io.now()

    if (stderr.isTTY === true && now - this.#start > DELAY && now - this.#drawn > INTERVAL) {
      this.#drawn = now
      stderr.write(`\r\x1b[K${this.#line(done, (now - this.#start) / 1000)}`)
    }
  }

  /** Remove the bar. */
  end (): void {
    if (this.#drawn > 0) {
      this.#io.stderr.write('\r\x1b[K')
    }
  }

  #line (done: number, seconds: number): string {
    const width = this.#io.stderr.columns || DEFAULT_COLUMNS
    const speed = `${formatSize(Math.round(done / seconds))}/s`

    if (this.#total == null || this.#total === 0) {
      return fit(this.#label, [[formatSize(done), speed], [formatSize(done)]], width)
    }

    const part = Math.min(1, done / this.#total)
    const full = Math.round(part * WIDTH)
    const left = `${Math.max(0, Math.ceil((this.#total - done) / Math.max(done / seconds, 1)))} s left`

    const percent = `${Math.floor(part * 100)} %`
    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent}`
    const sizes = `${formatSize(done)} of ${formatSize(this.#total)}`

    return fit(this.#label, [[bar, sizes, speed, left], [bar, speed, left], [bar, left], [percent, left]], width)
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

/** The beginning of a text, in at most this many columns. */
function shorten (text: string, columns: number): string {
  if (columnsOf(text) <= columns) {
    return text
  }

  let short = ''

  for (const character of text) {
    if (columnsOf(`${short}${character}`) >= columns) {
      break
    }

    short += character
  }

  return columns > 0 ? `${short}…` : ''
}

/** The most columns that a text may take: the characters of some scripts, and emoji, take two. */
export function columnsOf (text: string): number {
  let columns = 0

  for (const character of text) {
    columns += character < '\u1100' ? 1 : 2
  }

  return columns
}
