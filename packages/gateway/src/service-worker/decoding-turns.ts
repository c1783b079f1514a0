/** A frame that waits for its turn. */
interface Waiting {
  size: number
  start: () => void
}

/**
 * Lets one frame after the other be decompressed, with other events of the thread between them, and small frames first:
 * the style sheet of a page does not wait for the video on it.
 */
export class DecodingTurns {
  readonly #waiting: Waiting[] = []
  #isBusy = false

  /** @param size - the original bytes of the frame */
  async run<T> (size: number, decode: () => Promise<T> | T): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ size, start: resolve })

    if (!this.#isBusy) {
      void this.#next()
    }

    await promise

    try {
      return await decode()
    } finally {
      void this.#next()
    }
  }

  async #next (): Promise<void> {
    this.#isBusy = this.#waiting.length > 0

    if (!this.#isBusy) {
      return
    }

    await nextTask()

    const smallest = this.#waiting.reduce((best, waiting) => waiting.size < best.size ? waiting : best)
    this.#waiting.splice(this.#waiting.indexOf(smallest), 1)
    smallest.start()
  }
}

/** Resolves in a new task, after the events that wait already. Timers would pause for 4 ms. */
export async function nextTask (): Promise<void> {
  const { port1, port2 } = new MessageChannel()

  await new Promise<void>(resolve => {
    port1.addEventListener('message', () => { resolve() })
    port1.start()
    port2.postMessage(undefined)
  })

  port1.close()
}
