export interface ShareInit {
  bytes: number
  /** Whose response it is. Those of whom nothing is known are one client. */
  client?: string | undefined
  /** Whether it had memory before. Those who come for the first time have a line of their own. */
  isReturning?: boolean
  /** The share is given back when it aborts. */
  signal: AbortSignal
  /** Milliseconds that the share may be held while others wait for memory. */
  patience: number
  /** Called after about that time. It should give the share back, or a part of it, at once. */
  revoke: () => void
}

/** A part of the memory. */
export class Share {
  readonly init: ShareInit
  readonly #onChange: (share: Share, difference: number) => void
  /** Since when its patience runs, on the clock of `performance.now`. */
  #since = performance.now()
  #patience: number
  #isSuspect = false
  #bytes: number

  constructor (init: ShareInit, onChange: (share: Share, difference: number) => void) {
    this.init = init
    this.#patience = init.patience
    this.#bytes = init.bytes
    this.#onChange = onChange
  }

  get bytes (): number {
    return this.#bytes
  }

  /** Hold another number of bytes. More are not waited for. A share of none is given back, and stays so. */
  resize (bytes: number): void {
    const difference = bytes - this.#bytes

    if (this.#bytes > 0 && difference !== 0) {
      this.#bytes = bytes
      this.#onChange(this, difference)
    }
  }

  give (): void {
    this.resize(0)
  }

  /** Something has moved: its patience runs from now. */
  touch (patience: number): void {
    this.#since = performance.now()
    this.#patience = patience
    this.#isSuspect = false
  }

  /** Something has moved: its patience lasts some milliseconds longer, but never more than all of it from now. */
  prolong (time: number): void {
    this.#since = Math.min(this.#since + time, performance.now())
    this.#isSuspect = false
  }

  /**
   * Whether its patience is over. To be asked twice, with a wait in between: if this thread was busy, what has moved
   * is only told then.
   */
  isOverdue (): boolean {
    if (performance.now() - this.#since < this.#patience) {
      return false
    }

    const wasSuspect = this.#isSuspect
    this.#isSuspect = true

    return wasSuspect
  }
}
