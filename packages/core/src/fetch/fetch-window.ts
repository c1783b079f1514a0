import { MAX_FETCH_BLOCKS, MAX_LEAF_SIZE } from '../constants.ts'
import { RateMeter } from './rate-meter.ts'

/**
 * More is asked for when no more than this part of the limit is missing. Whoever sends
 * opens a stream for all that was asked for since the last one, and in the round trips
 * that this takes nothing is sent, unless what came before is still on its way. A Helia
 * puts up to 4 MiB into one message, of which nothing is here before all of it is.
 */
const REFILL = 0.75
/** A block of at most this many bytes takes no time but the way there and back. */
const SMALL_BLOCK = 64 * 1024

export interface FetchWindowInit {
  /** The most bytes that are asked for and have not arrived. */
  maxBytes: number
  /** How much is asked for, as the milliseconds in which it arrives. */
  ahead: number
  /** The time in milliseconds. */
  now?: () => number
}

/** A block that is asked for. It counts until `end` is called. */
export interface Slot {
  /** Whether a block that was asked for later has arrived. */
  overtaken (): boolean
  /** @param bytes - how many have arrived, none where it failed */
  end (bytes?: number): void
}

interface Waiter {
  size: number
  resolve: (slot: Slot) => void
}

/**
 * Bounds what is asked for by what arrives. What a peer has queued is ahead of all
 * else on its connection. libp2p waits 5 seconds for an answer to its ping, which
 * stands behind that twice, once for its stream and once for itself, and cuts the
 * connection then. Where a Bitswap message takes longer than 10 seconds, Helia cuts
 * its stream.
 */
export class FetchWindow {
  /** When a block arrived, in the time of `now`. */
  lastArrival = Number.NEGATIVE_INFINITY
  readonly now: () => number
  readonly maxBytes: number
  readonly #ahead: number
  readonly #meter: RateMeter
  /** Those who wait, by whom they wait for: each in its turn, so that a small file need not wait for a large one. */
  readonly #waiting = new Map<object, Waiter[]>()
  #bytes = 0
  #blocks = 0
  /** Numbers blocks in the order in which they are asked for. */
  #asked = 0
  #lastArrived = 0
  /** Whether more is asked for, until the limit is reached. */
  #filling = true

  constructor ({ maxBytes, ahead, now = () => performance.now() }: FetchWindowInit) {
    this.now = now
    this.maxBytes = maxBytes
    this.#ahead = ahead
    this.#meter = new RateMeter(now)
  }

  /** How many bytes may be asked for. At least one leaf: with less the smallest step of a small link would be none. */
  get limit (): number {
    return Math.min(Math.max(this.#meter.rate * this.#ahead, MAX_LEAF_SIZE), this.maxBytes)
  }

  /** How long what is asked for takes to arrive, in milliseconds, 0 where that is not known. */
  get backlog (): number {
    return this.timeOf(this.#bytes)
  }

  /** How long so many bytes take to arrive, in milliseconds, 0 where that is not known. */
  timeOf (bytes: number): number {
    return this.#meter.rate === 0 ? 0 : bytes / this.#meter.rate
  }

  /**
   * Wait until a block may be asked for. One may always be, whatever its size.
   *
   * @param size - its bytes, or a guess
   * @param scope - what it is fetched for
   */
  async acquire (size: number, scope: object, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted()

    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#leave(scope, waiter)
        reject(signal.reason)
        this.#admit()
      }
      const waiter = {
        size,
        resolve: (slot: Slot) => {
          signal.removeEventListener('abort', onAbort)
          resolve(slot)
        }
      }

      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.set(scope, [...this.#waiting.get(scope) ?? [], waiter])
      this.#admit()
    })
  }

  /** What was asked for did not arrive: begin again with little. */
  shrink (): void {
    this.#meter.reset()
  }

  #first (): { scope: object, waiter: Waiter } | undefined {
    for (const [scope, [waiter]] of this.#waiting) {
      return { scope, waiter }
    }

    return undefined
  }

  /** The others of its scope wait for the turns of all other scopes. */
  #leave (scope: object, waiter: Waiter): void {
    const others = this.#waiting.get(scope)?.filter(other => other !== waiter) ?? []

    this.#waiting.delete(scope)

    if (others.length > 0) {
      this.#waiting.set(scope, others)
    }
  }

  #admit (): void {
    if (!this.#filling && this.#bytes <= this.limit * REFILL) {
      this.#filling = true
    }

    for (let first = this.#first(); first != null && this.#filling; first = this.#first()) {
      const { scope, waiter: { size, resolve }, waiter } = first

      // one may always be asked for, and what counts for nothing may, too
      if (size > 0 && this.#bytes > 0 && (this.#bytes + size > this.limit || this.#blocks >= MAX_FETCH_BLOCKS)) {
        this.#filling = false
        break
      }

      if (this.#blocks === 0) {
        this.#meter.begin()
      }

      this.#leave(scope, waiter)
      resolve(this.#open(size))
    }
  }

  #open (size: number): Slot {
    const number = ++this.#asked
    const started = this.now()
    let open = true

    this.#bytes += size
    this.#blocks++

    return {
      overtaken: () => this.#lastArrived > number,
      end: (bytes = 0) => {
        if (!open) {
          return
        }

        open = false

        if (bytes > 0) {
          this.lastArrival = this.now()

          if (bytes <= SMALL_BLOCK) {
            this.#meter.addLatency(this.lastArrival - started)
          }

          this.#lastArrived = Math.max(this.#lastArrived, number)
          this.#meter.add(bytes)
        }

        this.#bytes -= size
        this.#blocks--

        if (this.#blocks === 0) {
          this.#meter.measure()
        }

        this.#admit()
      }
    }
  }
}
