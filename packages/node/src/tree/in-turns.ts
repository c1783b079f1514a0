// Room: trees: walking them several directories at a time, and reading small files in worker threads.
/** From how many bytes on a file counts as large: reading it takes more than one thread, and much memory. */
const LARGE = 1024 * 1024

/** Works on some files at a time: many small ones, or few large ones. */
export class InTurns {
  readonly #limit: number
  readonly #large: number
  readonly #waiting: Array<() => void> = []
  #used = 0

  /**
   * @param limit - how many small files are worked on at a time
   * @param large - how many small files a large one counts as
   */
  constructor (limit: number, large: number) {
    this.#limit = limit
    this.#large = large
  }

  /**
   * Work on several files. After a failure, nothing more is begun.
   *
   * Rejects with the first failure when nothing runs any more.
   *
   * @param sizeOf - the bytes of a file
   */
  async each<T> (values: readonly T[], sizeOf: (value: T) => number, work: (value: T) => Promise<void>): Promise<void> {
    let failure: { reason: unknown } | undefined

    await Promise.all(values.map(async value => {
      const cost = sizeOf(value) > LARGE ? this.#large : 1
      await this.#take(cost)

      try {
        await (failure == null ? work(value) : undefined)
      } catch (reason) {
        failure ??= { reason }
      } finally {
        this.#used -= cost
        this.#waiting.shift()?.()
      }
    }))

    if (failure != null) {
      throw failure.reason
    }
  }

  async #take (cost: number): Promise<void> {
    while (this.#used > 0 && this.#used + cost > this.#limit) {
      await new Promise<void>(resolve => { this.#waiting.push(resolve) })
    }

    this.#used += cost

    if (this.#used < this.#limit) {
      // there may be room for another one
      this.#waiting.shift()?.()
    }
  }
}
