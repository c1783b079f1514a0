import { raceSignal } from 'race-signal'

interface Waiting {
  bytes: number
  start: () => void
}

/** Room for a number of bytes. Whoever wants some waits until there is room, in turn. */
export class ByteBudget {
  readonly #limit: number
  readonly #waiting: Waiting[] = []
  #taken = 0

  constructor (limit: number) {
    this.#limit = limit
  }

  /** Wait for room. More than there is at all is given where nothing else is taken. */
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
        // its turn came while the signal was aborted
        this.give(bytes)
      } else {
        this.#waiting.splice(index, 1)
        this.#next()
      }

      throw err
    }
  }

  /** Give room back. */
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
