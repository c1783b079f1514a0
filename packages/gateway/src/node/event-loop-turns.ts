import { EventLoopBreaks } from '@ipfsz/utils/event-loop'

/** How many of those who wait go on for each time that the event loop runs. */
const MAX_RELEASED = 4

/**
 * Lets the event loop run while many responses begin, or are sent, whose blocks are here. Each waits for nothing then:
 * the system takes megabytes at once for a client that does not read. Together, hundreds kept a new client waiting for
 * seconds.
 */
export class EventLoopTurns {
  readonly #breaks = new EventLoopBreaks()
  readonly #waiting: Array<() => void> = []
  readonly #prefersNew: boolean

  /** @param init.prefersNew - whether the one that came last goes on as soon as the one that came first */
  constructor ({ prefersNew }: { prefersNew: boolean }) {
    this.#prefersNew = prefersNew
  }

  /** Wait, if the event loop has not run for long. */
  async take (): Promise<void> {
    if (this.#waiting.length > 0 || this.#breaks.isDue()) {
      await new Promise<void>(resolve => {
        if (this.#waiting.push(resolve) === 1) {
          void this.#release()
        }
      })
    }
  }

  async #release (): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#breaks.take()

      for (let i = 0; i < MAX_RELEASED; i++) {
        const resolve = this.#prefersNew && i % 2 === 0 ? this.#waiting.pop() : this.#waiting.shift()
        resolve?.()
      }
    }
  }
}
