/** Something that is waited for and may happen several times before anybody waits. */
export class Change {
  #happened = false
  #wake: (() => void) | undefined

  notify (): void {
    this.#happened = true
    this.#wake?.()
  }

  /**
   * Until it happens, or has since the last time, or so many milliseconds are over.
   * An abort ends the wait: the caller looks at the signal.
   */
  async wait (milliseconds: number, signal: AbortSignal): Promise<void> {
    if (!this.#happened && !signal.aborted) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, milliseconds)
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

    this.#happened = false
  }
}
