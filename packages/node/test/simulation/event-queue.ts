/** What happens at simulated times, in milliseconds: one event after the other, each with all that follows at once. */
export class EventQueue {
  now = 0
  #events: Array<{ at: number, run: () => void }> = []

  /** @returns what takes it back */
  at (time: number, run: () => void): () => void {
    const event = { at: Math.max(time, this.now), run }
    let place = this.#events.length

    // latest first; of those at the same time, the one that was added first comes first
    while (place > 0 && this.#events[place - 1].at <= event.at) {
      place--
    }

    this.#events.splice(place, 0, event)

    return () => {
      this.#events = this.#events.filter(other => other !== event)
    }
  }

  get isEmpty (): boolean {
    return this.#events.length === 0
  }

  /** Let the next event happen. */
  async step (): Promise<void> {
    const event = this.#events.pop()

    if (event != null) {
      this.now = event.at
      event.run()
    }

    await new Promise<void>(resolve => { setImmediate(resolve) })
  }
}
