import { raceSignal } from 'race-signal'

interface Waiting {
  bytes: number
  start: () => void
}

/** A budget of bytes. Callers that need more than is free wait in line. */
export class ByteBudget {
  readonly #limit: number
  readonly #waiting: Waiting[] = []
  #taken = 0

  constructor (limit: number) {
    this.#limit = limit
  }

  /** Wait for room. A request larger than the whole budget is granted once nothing else is taken. */
  async take (bytes: number, signal?: AbortSignal | null): Promise<void> {
    signal?.throwIfAborted()

    if (this.#waiting.length === 0 && this.#fits(bytes)) {
      this.#taken += bytes
      return
    }

    const waiting: Waiting = { bytes, start: () => {} }
    const turn = new Promise<void>(resolve => { waiting.start = resolve })
    this.#waiting.push(waiting)

    try {
      await raceSignal(turn, signal)
    } catch (err) {
      const index = this.#waiting.indexOf(waiting)

      if (index === -1) {
        // it was granted just before the abort
        this.give(bytes)
      } else {
        this.#waiting.splice(index, 1)
        this.#next()
      }

      throw err
    }
  }

  /** Return room to the budget. */
  give (bytes: number): void {
    this.#taken -= bytes
    this.#next()
  }

  #fits (bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#limit
  }

  #next (): void {
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0].bytes)) {
      const [{ bytes, start }] = this.#waiting.splice(0, 1)
      this.#taken += bytes
      start()
    }
  }
}
