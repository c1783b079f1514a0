/**
 * Where nothing ever waits for the outside (blocks in memory, a codec in JavaScript)
 * timers and input get a turn after this, in milliseconds: a signal that a timer
 * aborts would not be seen before the end.
 */
const TURN = 20

/** Gives the rest of the process its turns, in a loop that may never wait. */
export class Turns {
  #last = performance.now()

  /** Whether it is time for that. */
  get due (): boolean {
    return performance.now() - this.#last > TURN
  }

  async next (): Promise<void> {
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
