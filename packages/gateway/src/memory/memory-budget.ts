import { Share } from './share.ts'
import { WaitingLine } from './waiting-line.ts'
import type { ShareInit } from './share.ts'

/** How often shares are looked at while others wait for memory, in milliseconds. */
const CHECK_INTERVAL = 25

/** How much of the memory is kept for small responses. */
const KEPT_FOR_SMALL = 1 / 8

/** How much of the memory may be taken at most, if what is held cannot wait. */
const MOST_TAKEN = 1.25

/**
 * The memory that all responses share. Who needs more than is free waits in line. Whoever holds memory for too long
 * while others wait has to give it back: otherwise clients that do not read would keep it from everybody else.
 */
export class MemoryBudget {
  /** In bytes, without what is kept for small responses. */
  readonly limit: number
  readonly #shares = new Set<Share>()
  /**
   * Those who come for the first time, and those who come again. One of each is served in turn; of newcomers, the
   * last one and the first one in turn. Nobody knows which of them read: so whoever comes after hundreds that do
   * not waits for few of them, and whoever comes before others for no more than twice as many as stood before.
   */
  readonly #newcomers = new WaitingLine()
  readonly #returning = new WaitingLine()
  #isReturningNext = false
  #isLastNext = true
  #streams: MemoryBudget | undefined
  #small: MemoryBudget | undefined
  #taken = 0
  #isWatched = false

  /** @param limit - in bytes, without what is kept for small responses */
  constructor (limit: number) {
    this.limit = limit
  }

  /** A budget of so many bytes, with what is kept for small responses. */
  static of (bytes: number): MemoryBudget {
    return new MemoryBudget(bytes * (1 - KEPT_FOR_SMALL))
  }

  /**
   * What is kept for small responses, which hold memory while they are read and not while they are sent: they never
   * wait for clients that do not read.
   */
  get ofSmall (): MemoryBudget {
    this.#small ??= new MemoryBudget(this.limit * KEPT_FOR_SMALL / (1 - KEPT_FOR_SMALL))

    return this.#small
  }

  /**
   * The half of it that may be taken by what cannot go on later, and holds it to its end. Take from it first, and then
   * from the whole.
   */
  get ofStreams (): MemoryBudget {
    this.#streams ??= new MemoryBudget(this.limit / 2)

    return this.#streams
  }

  /** Bytes that are taken. */
  get taken (): number {
    return this.#taken
  }

  /** Whether others wait. */
  get isAwaited (): boolean {
    return this.#newcomers.length + this.#returning.length > 0
  }

  /** Whether nothing should be held that is not needed at once: others wait, or half of the memory is taken. */
  get isShort (): boolean {
    return this.isAwaited || this.#taken > this.limit / 2
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
    const line = init.isReturning === true ? this.#returning : this.#newcomers
    const waiting = { init, grant: resolve }
    const stop = (): void => {
      line.remove(waiting)
      this.#grantNext()
      reject(signal.reason)
    }

    line.add(waiting)
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
    return this.isShort || this.#taken + init.bytes > this.limit / 2 || init.signal.aborted
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
    return this.#taken === 0 || this.#taken + bytes <= this.limit
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
    while (this.#taken > this.limit * MOST_TAKEN && this.#shares.size > 1) {
      const [largest] = [...this.#shares].toSorted((a, b) => b.bytes - a.bytes)
      const taken = this.#taken
      largest.init.revoke()

      if (this.#taken >= taken) {
        return
      }
    }
  }

  #grantNext (): void {
    for (;;) {
      const isReturning = this.#newcomers.length === 0 || (this.#isReturningNext && this.#returning.length > 0)
      const line = isReturning ? this.#returning : this.#newcomers
      const isLast = !isReturning && this.#isLastNext
      const waiting = line.peek(isLast)

      if (waiting == null || !this.#fits(waiting.init.bytes)) {
        break
      }

      this.#isReturningNext = !isReturning
      this.#isLastNext = isReturning ? this.#isLastNext : !isLast
      line.take(waiting)
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
    for (const share of this.#shares) {
      if (!this.isAwaited) {
        break
      }

      if (share.isOverdue()) {
        share.init.revoke()
      }
    }
  }
}
