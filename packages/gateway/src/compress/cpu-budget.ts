/** How much unused time may be saved up, in milliseconds of the clock. */
const SAVED_TIME = 2000

export interface CpuBudgetInit {
  /** The share of one core that jobs may take, on average: 0.5 is half a core. */
  share: number
  /** Maximum number of jobs at once. */
  concurrency: number
  /** A clock, in milliseconds. */
  now: () => number
}

/**
 * Bounds the processor time of jobs: a token bucket of milliseconds. A job is charged for the time from its
 * start to its end on the clock, which is at least what it takes of a core: on a busy machine jobs last longer,
 * so fewer of them run.
 */
export class CpuBudget {
  readonly #init: CpuBudgetInit
  readonly #capacity: number
  #balance: number
  #updatedAt: number
  #running = 0

  constructor (init: CpuBudgetInit) {
    this.#init = init
    this.#capacity = init.share * SAVED_TIME
    this.#balance = this.#capacity
    this.#updatedAt = init.now()
  }

  /** Whether a job may start. The last one may take more than is left, and what comes next waits for it. */
  get isLeft (): boolean {
    return this.#running < this.#init.concurrency && this.#refill() > 0
  }

  /**
   * Run a job, if time is left for it.
   *
   * @returns undefined: none is left, and the job was not started
   */
  async run <T> (job: () => T | Promise<T>): Promise<T | undefined> {
    if (!this.isLeft) {
      return undefined
    }

    const start = this.#init.now()
    this.#running++

    try {
      return await job()
    } finally {
      this.#running--
      this.#balance = this.#refill() - (this.#init.now() - start)
    }
  }

  #refill (): number {
    const now = this.#init.now()
    const gained = Math.max(now - this.#updatedAt, 0) * this.#init.share

    this.#balance = Math.min(this.#balance + gained, this.#capacity)
    this.#updatedAt = now

    return this.#balance
  }
}
