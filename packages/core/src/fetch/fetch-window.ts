import { MAX_FETCH_BLOCKS, MAX_LEAF_SIZE } from '../constants.ts'
import { RateMeter } from './rate-meter.ts'
import { StallDetector } from './stall-detector.ts'

/**
 * More blocks are requested once the bytes in flight fall to this part of the limit. A peer opens a new stream for all
 * requests since the last one, and sends nothing during those round trips unless earlier blocks are still on their way.
 * Helia packs up to 4 MiB into one message, and none of it is usable before all of it has arrived.
 */
const REFILL = 0.75
/** The transfer time of a block up to this size is negligible: it measures the round trip. */
const SMALL_BLOCK = 64 * 1024

interface FetchWindowInit {
  /** Maximum number of bytes in flight: requested, and not arrived. */
  maxBytes: number
  /**
   * The fewest bytes that may be in flight.
   *
   * @default 1048576
   */
  minBytes?: number
  /** How much to request ahead, as the milliseconds that it takes to arrive. */
  ahead: number
  /** The current time in milliseconds. */
  now?: () => number
}

/** A requested block. It counts against the window until `end` is called. */
export interface Slot {
  /** Whether a block that was requested later has arrived. */
  overtaken (): boolean
  /** @param bytes - how many arrived, 0 if it failed */
  end (bytes?: number): void
}

interface Waiter {
  size: number
  resolve: (slot: Slot) => void
}

/**
 * Bounds the bytes in flight by the rate at which they arrive. Everything that a peer has queued delays its other
 * traffic. libp2p closes a connection if a ping takes longer than 5 seconds, and a ping waits behind the queue twice:
 * once to open its stream, once for itself. Helia resets a stream if a Bitswap message takes longer than 10 seconds.
 */
export class FetchWindow {
  /** The blocks that arrive. */
  readonly arrivals: StallDetector
  readonly now: () => number
  readonly maxBytes: number
  readonly #minBytes: number
  readonly #ahead: number
  readonly #meter: RateMeter
  /** Waiters by scope. Scopes take turns, so that a small file does not wait for a large one. */
  readonly #waiting = new Map<object, Waiter[]>()
  #bytes = 0
  #blocks = 0
  /** Numbers the requests in order. */
  #asked = 0
  #lastArrived = 0
  /** Whether to request more. Set below the refill mark, cleared at the limit. */
  #filling = true

  constructor ({ maxBytes, minBytes = MAX_LEAF_SIZE, ahead, now = () => performance.now() }: FetchWindowInit) {
    this.now = now
    this.arrivals = new StallDetector({ now })
    this.maxBytes = maxBytes
    this.#minBytes = minBytes
    this.#ahead = ahead
    this.#meter = new RateMeter(now)
  }

  /** Maximum bytes that may be in flight: by default at least one leaf, so that the slowest link makes progress. */
  get limit (): number {
    return Math.min(Math.max(this.#meter.rate * this.#ahead, this.#minBytes), this.maxBytes)
  }

  /** Milliseconds until everything in flight has arrived, 0 if the rate is unknown. */
  get backlog (): number {
    return this.timeOf(this.#bytes)
  }

  /** Milliseconds that this many bytes take to arrive, 0 if the rate is unknown. */
  timeOf (bytes: number): number {
    return this.#meter.rate === 0 ? 0 : bytes / this.#meter.rate
  }

  /**
   * Wait until a block may be requested. One is always allowed, whatever its size.
   *
   * @param size - its bytes, or a guess
   * @param scope - what it is fetched for
   */
  async acquire (size: number, scope: object, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted()

    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const waiter = { size, resolve }
    const onAbort = (): void => {
      this.#leave(scope, waiter)
      reject(signal.reason)
      this.#admit()
    }

    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.set(scope, [...this.#waiting.get(scope) ?? [], waiter])
    this.#admit()

    return promise.finally(() => { signal.removeEventListener('abort', onAbort) })
  }

  /** Something in flight did not arrive: start over with a small window. */
  shrink (): void {
    this.#meter.rate = 0
  }

  /** Remove a waiter, and move its scope behind all other scopes. */
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

    while (this.#waiting.size > 0 && this.#filling) {
      const [[scope, [waiter]]] = this.#waiting
      const { size, resolve } = waiter

      // one block is always allowed, and so is a block that counts as 0 bytes
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
          this.arrivals.arrived()

          if (bytes <= SMALL_BLOCK) {
            this.#meter.addLatency(this.now() - started)
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
