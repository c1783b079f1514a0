/**
 * Milliseconds that a loop may run before it lets the event loop run. If nothing in the loop
 * waits for I/O (blocks in memory, a codec in JavaScript), timers and input would otherwise
 * starve: an abort by a timer would be noticed only at the end.
 */
const MAX_RUN_TIME = 20

/** Let timers and I/O run once. */
export async function yieldToEventLoop (): Promise<void> {
  await new Promise<void>(resolve => {
    if (typeof setImmediate === 'function') {
      setImmediate(resolve)
    } else {
      setTimeout(resolve)
    }
  })
}

/** Lets the event loop run now and then during a loop that may never wait. */
export class EventLoopBreaks {
  #last = performance.now()

  /** Whether a break is due. */
  get due (): boolean {
    return performance.now() - this.#last > MAX_RUN_TIME
  }

  async take (): Promise<void> {
    await yieldToEventLoop()
    this.#last = performance.now()
  }
}
