// Room: small helpers of this package alone.
import { raceSignal } from 'race-signal'

interface Waiting {
  amount: number
  start: () => void
}

/** A budget of something, such as bytes or requests. Callers that need more than is free wait in line. */
export class Budget {
  readonly #limit: number
  readonly #waiting: Waiting[] = []
  #taken = 0

  constructor (limit: number) {
    this.#limit = limit
  }

  /** Wait for room. A request larger than the whole budget is granted once nothing else is taken. */
  async take (amount: number, signal?: AbortSignal | null): Promise<void> {
    signal?.throwIfAborted()

    if (this.#waiting.length === 0 && this.#fits(amount)) {
      this.#taken += amount
      return
    }

    const waiting: Waiting = { amount, start: () => {} }
    const turn = new Promise<void>(resolve => { waiting.start = resolve })
    this.#waiting.push(waiting)

    try {
      await raceSignal(turn, signal)
    } catch (err) {
      const index = this.#waiting.indexOf(waiting)

      if (index === -1) {
        // it was granted just before the abort
        this.give(amount)
      } else {
        this.#waiting.splice(index, 1)
        this.#next()
      }

      throw err
    }
  }

  /** Take room while a task runs. */
  async during<T> (amount: number, task: () => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    await this.take(amount, signal)

    try {
      return await task()
    } finally {
      this.give(amount)
    }
  }

  /** Return room to the budget. */
  give (amount: number): void {
    this.#taken -= amount
    this.#next()
  }

  #fits (amount: number): boolean {
    return this.#taken === 0 || this.#taken + amount <= this.#limit
  }

  #next (): void {
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0].amount)) {
      const [{ amount, start }] = this.#waiting.splice(0, 1)
      this.#taken += amount
      start()
    }
  }
}
