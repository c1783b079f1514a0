import { FIRST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE_OF_KNOWN, LONGEST_RETRY_AFTER } from '../../constants.ts'
import { isCut } from './errors.ts'
import type { GatewayBusyError } from './errors.ts'

/** A gateway, and what is known of it. Shared by all that ask it. */
export class Gateway {
  /** Ends with a slash. */
  readonly url: string
  /** Bytes per millisecond of its last response that was measured. */
  rate: number | undefined
  /** Milliseconds from its last request for a CAR to the first block. */
  latency: number | undefined
  /** How long readers have waited for bytes of its CARs that have ended, in milliseconds. */
  waited = 0
  /** Whether another gateway was faster when it was last asked. */
  isSlow = false
  /** Whether it ever sent a block. */
  hasWorked = false
  /** How many single blocks it is asked for now. */
  requests = 0
  blocks = 0
  /** How many responses it has cut since it sent a block. */
  cuts = 0
  /** Why it cannot be asked now. */
  failure: Error | undefined
  /** How often in a row it failed. */
  #failures = 0
  /** When it may be asked again, on the clock of `performance.now`. */
  #availableAt = 0

  constructor (url: URL) {
    this.url = url.href
  }

  /** How long until it may be asked, in milliseconds: 0 is now, Infinity never. */
  get pause (): number {
    return Math.max(this.#availableAt - performance.now(), 0)
  }

  /** Count a request while it goes on. */
  async during<T> (request: Promise<T>): Promise<T> {
    this.requests++

    return request.finally(() => { this.requests-- })
  }

  /** It sent a block. */
  succeeded (): void {
    this.failure = undefined
    this.#failures = 0
    this.cuts = 0
    this.blocks++
    this.hasWorked = true
  }

  /** Leave it alone for a time that depends on how it failed. */
  failed (err: Error): void {
    if (err.name === 'GatewayRefusedError') {
      // it works, and may have other blocks
      return
    }

    this.cuts += isCut(err) ? 1 : 0
    this.failure = isCut(err) ? err.after(this.cuts) : err

    if (err.name === 'GatewayContentError') {
      this.#availableAt = Number.POSITIVE_INFINITY
      return
    }

    const { retryAfter = 0 } = err as Partial<GatewayBusyError>
    const longest = this.hasWorked ? LONGEST_PAUSE_OF_KNOWN : LONGEST_PAUSE
    const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures++, longest)
    this.#availableAt = performance.now() + Math.max(pause, Math.min(retryAfter, LONGEST_RETRY_AFTER))
  }
}
