// Room: trees: walking them several directories at a time, and reading small files in worker threads.
/** Works on some files at a time: many small ones, or few large ones. */
export class InTurns {
  readonly #maxFiles: number
  readonly #maxBytes: number
  readonly #waiting: Array<() => void> = []
  #files = 0
  #bytes = 0

  /**
   * @param maxFiles - how many files are worked on at a time
   * @param maxBytes - how many bytes they have, unless it is one alone: a whole frame is in memory, of 4 MiB mostly
   */
  constructor (maxFiles: number, maxBytes = Infinity) {
    this.#maxFiles = maxFiles
    this.#maxBytes = maxBytes
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
      const bytes = Math.min(sizeOf(value), this.#maxBytes)
      await this.#take(bytes)

      try {
        await (failure == null ? work(value) : undefined)
      } catch (reason) {
        failure ??= { reason }
      } finally {
        this.#files--
        this.#bytes -= bytes
        this.#waiting.shift()?.()
      }
    }))

    if (failure != null) {
      throw failure.reason
    }
  }

  async #take (bytes: number): Promise<void> {
    while (this.#files >= this.#maxFiles || (this.#files > 0 && this.#bytes + bytes > this.#maxBytes)) {
      await new Promise<void>(resolve => { this.#waiting.push(resolve) })
    }

    this.#files++
    this.#bytes += bytes

    if (this.#files < this.#maxFiles) {
      // there may be room for another one
      this.#waiting.shift()?.()
    }
  }
}
