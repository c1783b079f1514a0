/**
 * Milliseconds that a loop may run before it lets the event loop run: at most twice as long. If nothing in the loop
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

/**
 * Milliseconds for which this thread has run. Where the platform cannot tell (browsers, Node 22), those of a clock,
 * which on a busy machine also count the time that the thread waits for a processor.
 */
export function processorTime (): number {
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, 'threadCpuUsage'>> }
  const usage = process?.threadCpuUsage?.()

  return usage == null ? performance.now() : (usage.user + usage.system) / 1000
}

/**
 * Lets the event loop run now and then during a loop that may never wait. A loop that does wait needs no break: at 1
 * Gbit/s, one turn of the event loop may read megabytes of a response, and each break let a frame wait for that.
 */
export class EventLoopBreaks {
  #last = performance.now()
  /** Whether the event loop has run since then. */
  #hasRun = true

  /** Whether a break is due. If the loop has run for long, it begins to watch whether the event loop runs. */
  isDue (): boolean {
    if (performance.now() - this.#last <= MAX_RUN_TIME) {
      return false
    }

    if (this.#hasRun) {
      void this.#watch()
      return false
    }

    return true
  }

  async take (): Promise<void> {
    await yieldToEventLoop()
    void this.#watch()
  }

  /** Begin to count, and note when the event loop runs. */
  async #watch (): Promise<void> {
    this.#last = performance.now()
    this.#hasRun = false
    await yieldToEventLoop()
    this.#hasRun = true
  }
}
