/** How often shares are looked at while others wait for memory, in milliseconds. */
const CHECK_INTERVAL = 250

/** How much of the memory may be taken at most, if what is held cannot wait. */
const MOST_TAKEN = 1.25

export interface ShareInit {
  bytes: number
  /** The share is given back when it aborts. */
  signal: AbortSignal
  /** Milliseconds that the share may be held while others wait for memory. */
  patience: number
  /** Called after that time. It should give the share back, or a part of it, at once. */
  revoke: () => void
}

interface Waiting {
  init: ShareInit
  grant: (share: Share) => void
}

/** A part of the memory. */
export class Share {
  readonly init: ShareInit
  readonly #onChange: (share: Share, difference: number) => void
  /** Since when its patience runs, on the clock of `performance.now`. */
  since = performance.now()
  patience: number
  #bytes: number

  constructor (init: ShareInit, onChange: (share: Share, difference: number) => void) {
    this.init = init
    this.patience = init.patience
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
    this.since = performance.now()
    this.patience = patience
  }
}

/**
 * The memory that all responses share. Who needs more than is free waits in line. Whoever holds memory for too long
 * while others wait has to give it back: otherwise clients that do not read would keep it from everybody else.
 */
export class MemoryBudget {
  readonly #limit: number
  readonly #shares = new Set<Share>()
  readonly #waiting = new Set<Waiting>()
  #streams: MemoryBudget | undefined
  #taken = 0
  #isWatched = false

  /** @param limit - in bytes */
  constructor (limit: number) {
    this.#limit = limit
  }

  /**
   * The half of it that may be taken by what cannot go on later, and holds it to its end. Take from it first, and then
   * from the whole.
   */
  get ofStreams (): MemoryBudget {
    this.#streams ??= new MemoryBudget(this.#limit / 2)

    return this.#streams
  }

  /** Bytes that are taken. */
  get taken (): number {
    return this.#taken
  }

  /** Whether others wait. */
  get isAwaited (): boolean {
    return this.#waiting.size > 0
  }

  /** Whether nothing should be held that is not needed at once: others wait, or half of the memory is taken. */
  get isShort (): boolean {
    return this.isAwaited || this.#taken > this.#limit / 2
  }

  /** Wait for memory. What is more than the whole budget is granted once nothing else is taken. */
  async take (init: ShareInit): Promise<Share> {
    const { signal } = init
    signal.throwIfAborted()

    const share = this.takeNow(init)

    if (share != null) {
      return share
    }

    const { promise, resolve, reject } = Promise.withResolvers<Share>()
    const waiting = { init, grant: resolve }
    const stop = (): void => {
      this.#waiting.delete(waiting)
      this.#grantNext()
      reject(signal.reason)
    }

    this.#waiting.add(waiting)
    signal.addEventListener('abort', stop, { once: true })
    this.#watch()

    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Memory that is free. Undefined if it has to be waited for. */
  takeNow (init: ShareInit): Share | undefined {
    return !this.isAwaited && this.#fits(init.bytes) ? this.#grant(init) : undefined
  }

  /** Memory for reading ahead. Undefined if memory is short. */
  tryTake (init: ShareInit): Share | undefined {
    return this.isShort || this.#taken + init.bytes > this.#limit / 2 || init.signal.aborted
      ? undefined
      : this.#grant(init)
  }

  /** Count what is held already, and cannot wait. If it is far too much, the largest shares are revoked. */
  hold (init: ShareInit): Share {
    const share = this.#grant(init)
    this.#shrink()

    return share
  }

  #fits (bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#limit
  }

  #grant (init: ShareInit): Share {
    const give = (): void => { share.give() }
    const share = new Share(init, (share, difference) => {
      this.#taken += difference

      if (share.bytes === 0) {
        this.#shares.delete(share)
        init.signal.removeEventListener('abort', give)
      }

      if (difference < 0) {
        this.#grantNext()
      } else {
        this.#shrink()
      }
    })

    this.#taken += init.bytes
    this.#shares.add(share)
    init.signal.addEventListener('abort', give, { once: true })

    return share
  }

  #shrink (): void {
    while (this.#taken > this.#limit * MOST_TAKEN && this.#shares.size > 1) {
      const [largest] = [...this.#shares].toSorted((a, b) => b.bytes - a.bytes)
      const taken = this.#taken
      largest.init.revoke()

      if (this.#taken >= taken) {
        return
      }
    }
  }

  #grantNext (): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.init.bytes)) {
        break
      }

      this.#waiting.delete(waiting)
      waiting.grant(this.#grant(waiting.init))
    }
  }

  #watch (): void {
    if (this.#isWatched) {
      return
    }

    this.#isWatched = true
    setTimeout(() => {
      this.#isWatched = false
      this.#revoke()

      if (this.isAwaited) {
        this.#watch()
      }
    }, CHECK_INTERVAL)
  }

  /** Take back what is held for too long, until nobody waits. */
  #revoke (): void {
    const now = performance.now()

    for (const share of this.#shares) {
      if (!this.isAwaited) {
        break
      }

      if (now - share.since >= share.patience) {
        share.init.revoke()
      }
    }
  }
}
