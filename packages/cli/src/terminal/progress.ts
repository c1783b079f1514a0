import { formatSize } from './units.ts'
import type { Io } from '../io.ts'
import type { Stats } from '@ipfsz/core'

/** The bar appears after this time, in milliseconds. */
const DELAY = 1000
/** How often the bar is drawn, in milliseconds. */
const INTERVAL = 100
const WIDTH = 24

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
    const speed = `${formatSize(Math.round(done / seconds))}/s`

    if (this.#total == null || this.#total === 0) {
      return `${this.#label}  ${formatSize(done)}  ${speed}`
    }

    const part = Math.min(1, done / this.#total)
    const full = Math.round(part * WIDTH)
    const left = Math.ceil((this.#total - done) / Math.max(done / seconds, 1))

    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(part * 100)} %`
    const sizes = `${formatSize(done)} of ${formatSize(this.#total)}`

    return `${this.#label}  ${bar}  ${sizes}  ${speed}  ${Math.max(0, left)} s left`
  }
}
