import { LruMap } from '@ipfsz/utils/lru-map'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import { raceSignal } from 'race-signal'
import { DecodeQueueFullError } from '../errors.ts'
import { Budget } from '../util/budget.ts'

/** What bounds the decompression that others can cause. */
export interface FrameDecoderInit {
  /** Bytes of decompressed frames that are kept. */
  cacheSize: number
  /** How many frames are decompressed at a time. */
  concurrency: number
  /** How many frames may wait for that. */
  maxWaiting: number
  /** Original bytes of frames that are decompressed in a second, on average. */
  bytesPerSecond: number
  /** The time in milliseconds, and how to wait for some. */
  clock: Clock
}

export interface Clock {
  now (): number
  wait (milliseconds: number): Promise<void>
}

/** Decompresses one frame. */
type Decode = (signal: AbortSignal) => Promise<Uint8Array>

/**
 * Decompresses frames for many requests. A frame that several want is decompressed once, and the last ones are kept.
 * All others take turns: a few at a time, in the order of the requests, and only so many bytes in a second. So
 * whoever asks for one small block of each large frame in turn costs a bounded share of the processor.
 */
export class FrameDecoder {
  readonly #init: FrameDecoderInit
  readonly #cache: LruMap<string, Uint8Array>
  readonly #decoding = new SingleFlight<Uint8Array>()
  readonly #turns: Budget
  /** How many frames wait for their turn, or for the rate. */
  #waiting = 0
  /** Bytes that may be decompressed now. Below 0 after a large frame. */
  #allowance: number
  #countedAt: number

  constructor (init: FrameDecoderInit) {
    this.#init = init
    this.#cache = new LruMap({ maxSize: init.cacheSize, sizeOf: ({ byteLength }) => byteLength })
    this.#turns = new Budget(init.concurrency)
    this.#allowance = init.bytesPerSecond
    this.#countedAt = init.clock.now()
  }

  /**
   * Get a decompressed frame.
   *
   * @param key - what identifies the frame
   * @param size - the original bytes that are decompressed for it, which count for the rate
   * @throws {DecodeQueueFullError}
   */
  async get (key: string, size: number, decode: Decode, signal?: AbortSignal | null): Promise<Uint8Array> {
    signal?.throwIfAborted()

    return this.#cache.get(key) ??
      this.#decoding.run(key, async unneeded => this.#decode(key, size, decode, unneeded), signal)
  }

  /** @param unneeded - aborts once all have left: then nobody decompresses it */
  async #decode (key: string, size: number, decode: Decode, unneeded: AbortSignal): Promise<Uint8Array> {
    if (this.#waiting >= this.#init.maxWaiting) {
      throw new DecodeQueueFullError(this.#waiting)
    }

    this.#waiting++
    const begin = async (): Promise<void> => {
      await this.#turns.take(1, unneeded)

      try {
        await this.#waitForRate(size, unneeded)
      } catch (err) {
        this.#turns.give(1)
        throw err
      }
    }

    await begin().finally(() => { this.#waiting-- })

    try {
      const bytes = await decode(unneeded)
      this.#cache.set(key, bytes)

      return bytes
    } finally {
      this.#turns.give(1)
    }
  }

  async #waitForRate (size: number, unneeded: AbortSignal): Promise<void> {
    for (let time = this.#timeUntilAllowed(); time > 0; time = this.#timeUntilAllowed()) {
      await raceSignal(this.#init.clock.wait(time), unneeded)
    }

    this.#allowance -= size
  }

  /** How long to wait until some bytes may be decompressed again, in milliseconds. */
  #timeUntilAllowed (): number {
    const { bytesPerSecond, clock } = this.#init
    const now = clock.now()

    this.#allowance = Math.min(bytesPerSecond, this.#allowance + (now - this.#countedAt) / 1000 * bytesPerSecond)
    this.#countedAt = now

    return this.#allowance > 0 ? 0 : Math.ceil((1 - this.#allowance) / bytesPerSecond * 1000)
  }
}
