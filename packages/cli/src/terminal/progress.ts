import { formatProgress } from './progress-line.ts'
import { canRedraw, DEFAULT_COLUMNS } from './columns.ts'
import { RecentRate } from './recent-rate.ts'
import { TimeLeft } from './time-left.ts'
import { count, formatSize } from './units.ts'
import type { Arrivals } from './arrivals.ts'
import type { Layout, ProgressState } from './progress-line.ts'
import type { Io } from '../io.ts'
import type { Stats } from '@ipfsz/core'

/** The bar appears after this time, in milliseconds. */
const DELAY = 1000
/** How often the bar is drawn, in milliseconds. */
const INTERVAL = 100
/** How often the speed and the time that is left change, in milliseconds: numbers that change faster cannot be read. */
const NUMBERS_INTERVAL = 1000
/** Moves to the start of the line, and deletes it. */
const CLEAR = '\r\x1b[K'

/** The number of bytes that reading will yield, or undefined if that is unknown. */
export function knownSize ({ size, sizeKnown }: Pick<Stats, 'size' | 'sizeKnown'>): number | undefined {
  return sizeKnown === false ? undefined : Number(size)
}

/** A bar that opens with the first thing that is done: until then, another bar may say what is waited for. */
export class LateProgress {
  readonly #open: () => Pick<Progress, 'add' | 'end'>
  #progress: Pick<Progress, 'add' | 'end'> | undefined

  constructor (open: () => Pick<Progress, 'add' | 'end'>) {
    this.#open = open
  }

  add (done: number): void {
    this.#progress ??= this.#open()
    this.#progress.add(done)
  }

  end (): void {
    this.#progress?.end()
  }
}

export interface ProgressInit {
  label: string
  /** Bytes or things to come. Default: unknown. */
  total?: number | undefined
  /** What is counted, such as `block`. Default: bytes. */
  thing?: string | undefined
  /** Whether there is nothing to count: the label is all that is shown. */
  isUncounted?: boolean | undefined
  /** What is fetched meanwhile. */
  arrivals?: Arrivals | undefined
  /** Whether what is fetched is all that is done. */
  isFetch?: boolean | undefined
}

/** What is computed now and then. */
type Numbers = Pick<ProgressState, 'speed' | 'from' | 'left'>

/**
 * A progress bar, which appears after a second, and moves even while nothing arrives. Does nothing if stderr is not a
 * terminal, or a dumb one.
 */
export class Progress {
  readonly #init: ProgressInit
  readonly #io: Pick<Io, 'stderr' | 'now'>
  readonly #canRedraw: boolean
  readonly #start: number
  readonly #timer: NodeJS.Timeout | undefined
  /** Of what is done. */
  readonly #rate: RecentRate
  readonly #timeLeft: TimeLeft
  /** 0: unknown. */
  #total: number
  /** What of the line has fitted so far: what came and went with each number could not be read. */
  #layout: Layout = { width: 0, choice: 0 }
  #numbers: Numbers | undefined
  #numbersTime = 0
  #done = 0
  #drawn = 0
  /** The line that is shown. */
  #line: string | undefined
  #isOpen = true

  constructor (io: Pick<Io, 'stderr' | 'now' | 'env'>, init: ProgressInit) {
    this.#init = init
    this.#io = io
    this.#canRedraw = canRedraw(io.stderr, io.env)
    this.#start = io.now()
    this.#rate = new RecentRate(this.#start)
    this.#timeLeft = new TimeLeft(this.#start)
    this.#total = init.total ?? 0
    this.#timer = this.#canRedraw ? setInterval(() => { this.#draw() }, INTERVAL).unref() : undefined
  }

  /** Whether it has not ended. */
  get isOpen (): boolean {
    return this.#isOpen
  }

  /**
   * Show that this many bytes or things are done.
   *
   * @param total - how many there are, where that became known only now
   */
  update (done: number, total?: number): void {
    this.#done = done
    this.#total = total ?? this.#total
    this.#draw()
  }

  /** Show that this many more are done. */
  add (more: number): void {
    this.update(this.#done + more)
  }

  /** Remove the bar until it is drawn again, to print something else. */
  clear (): void {
    if (this.#line != null) {
      this.#line = undefined
      this.#io.stderr.write(CLEAR)
    }
  }

  /** Remove the bar. */
  end (): void {
    this.#isOpen = false
    clearInterval(this.#timer)
    this.clear()
  }

  #draw (): void {
    const { stderr } = this.#io

    if (!this.#canRedraw || !this.#isOpen) {
      return
    }

    const now = this.#io.now()
    const { arrivals, isFetch = false } = this.#init

    this.#rate.update(isFetch ? arrivals?.bytes ?? 0 : this.#done, now)

    if (now - this.#start > DELAY && now - this.#drawn > INTERVAL) {
      const { line, ...layout } = formatProgress(this.#state(now), stderr.columns || DEFAULT_COLUMNS, this.#layout)
      this.#layout = layout
      this.#drawn = now

      if (line !== this.#line) {
        this.#line = line
        stderr.write(`${CLEAR}${line}`)
      }
    }
  }

  #state (now: number): ProgressState {
    const { label, thing, isFetch = false, isUncounted = false } = this.#init
    const total = this.#total
    const done = this.#rate.total

    if (isUncounted) {
      return { label, amount: '' }
    }

    if (isFetch && done === 0) {
      return { label, amount: 'waiting for the first block' }
    }

    if (this.#numbers == null || now - this.#numbersTime >= NUMBERS_INTERVAL) {
      this.#numbers = this.#measure(now)
      this.#numbersTime = now
    }

    const amount = total === 0
      ? this.#amount(done)
      : `${thing == null ? formatSize(done) : done} of ${this.#amount(total)}`

    return { label, part: total === 0 ? undefined : Math.min(1, done / total), amount, ...this.#numbers }
  }

  #measure (now: number): Numbers {
    const { thing, arrivals } = this.#init
    const rate = this.#rate.at(now)
    const current = arrivals?.current(now)
    const speed = thing == null
      ? formatSize(Math.round(current?.rate ?? rate))
      : count(Math.round(rate), thing)

    return {
      speed: `${speed}/s`,
      from: current?.from,
      left: this.#timeLeft.at(this.#rate.total, this.#total, now)
    }
  }

  #amount (number: number): string {
    return this.#init.thing == null ? formatSize(number) : count(number, this.#init.thing)
  }
}
