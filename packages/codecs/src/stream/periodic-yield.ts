/** How long to keep the thread, in milliseconds. */
const INTERVAL = 20

/**
 * Yields to the event loop from time to time, in loops that may never wait for I/O. Without
 * it, timers would not run, so a signal that a timer aborts would be seen only at the end.
 */
export class PeriodicYield {
  #last = performance.now()

  async yieldIfDue (): Promise<void> {
    if (performance.now() - this.#last <= INTERVAL) {
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
