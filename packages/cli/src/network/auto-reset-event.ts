/**
 * An auto-reset event: `notify` wakes the one waiter. A notification without a waiter is kept, and
 * ends the next wait at once.
 */
export class AutoResetEvent {
  #isSet = false
  #wake: (() => void) | undefined

  notify (): void {
    this.#isSet = true
    this.#wake?.()
  }

  /**
   * Returns after a notification, the timeout or an abort. It does not throw on an abort: check the signal.
   *
   * @param timeout - in milliseconds
   */
  async wait (timeout: number, signal: AbortSignal): Promise<void> {
    if (!this.#isSet && !signal.aborted) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, timeout)
        const wake = (): void => {
          clearTimeout(timer)
          resolve()
        }

        this.#wake = wake
        signal.addEventListener('abort', wake, { once: true })
      }).finally(() => {
        if (this.#wake != null) {
          signal.removeEventListener('abort', this.#wake)
        }

        this.#wake = undefined
      })
    }

    this.#isSet = false
  }
}
