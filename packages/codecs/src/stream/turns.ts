/**
 * Timers and input get a turn after this, in milliseconds: where nothing ever waits
 * for the outside, a signal that a timer aborts would not be seen before the end.
 */
const TURN = 20

/** Lets others have the thread from time to time. */
export class Turns {
  #last = performance.now()

  async next (): Promise<void> {
    if (performance.now() - this.#last <= TURN) {
      return
    }

    await new Promise<void>(resolve => {
      if (typeof setImmediate === 'function') {
        setImmediate(resolve)
      } else {
        setTimeout(resolve)
      }
    })

    this.#last = performance.now()
  }
}
