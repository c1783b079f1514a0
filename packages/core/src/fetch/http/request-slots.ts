/** Lets a bounded number of tasks run at a time, the others in the order in which they came. */
export class RequestSlots {
  #free: number
  readonly #waiting: Array<() => void> = []

  constructor (max: number) {
    this.#free = max
  }

  async run<T> (task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) {
      this.#free--
    } else {
      await new Promise<void>(resolve => { this.#waiting.push(resolve) })
    }

    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()

      if (next == null) {
        this.#free++
      } else {
        next()
      }
    }
  }
}
