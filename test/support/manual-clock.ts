import type { Clock } from '@ipfsz/shared-store'

/** A clock that goes on only when a test says so. */
export class ManualClock implements Clock {
  readonly #timers = new Set<{ at: number, run: () => void }>()
  #now = 0

  readonly now = (): number => this.#now

  readonly after = (milliseconds: number, run: () => void): () => void => {
    const timer = { at: this.#now + Math.max(0, milliseconds), run }
    this.#timers.add(timer)

    return () => { this.#timers.delete(timer) }
  }

  /** Let time pass, and wait for what the timers start. */
  async pass (milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds

    while (true) {
      await settled()
      const next = Array.from(this.#timers).filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at).at(0)

      if (next == null) {
        this.#now = end
        return
      }

      this.#timers.delete(next)
      this.#now = next.at
      next.run()
    }
  }
}

/** Wait until every promise that can has settled: a store in memory takes a few turns. */
async function settled (): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise<void>(resolve => { setImmediate(resolve) })
  }
}
