import { LruMap } from '@ipfsz/utils/lru-map'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import { DecodeQueueFullError } from '../errors.ts'

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

/** One that waits to be decompressed. */
interface Waiting {
  readonly size: number
  start (): void
}

/**
 * Decompresses frames for many requests. A frame that several want is decompressed once, and the last ones are kept.
 * All others take turns: a few at a time, in the order of the requests, and only so many bytes in a second. So
 * whoever asks for one small block of each large frame in turn costs a bounded share of the processor.
 */
export class FrameDecoder {
  readonly #init: FrameDecoderInit
  readonly #cache: LruMap<string, Uint8Array>
  readonly #decoding = new SingleFlight<Uint8Array>()
  readonly #waiting: Waiting[] = []
  #running = 0
  /** Bytes that may be decompressed now. Below 0 after a large frame. */
  #allowance: number
  #countedAt: number
  #isPaused = false

  constructor (init: FrameDecoderInit) {
    this.#init = init
    this.#cache = new LruMap({ maxSize: init.cacheSize, sizeOf: ({ byteLength }) => byteLength })
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
    await this.#turn(size, unneeded)

    try {
      const bytes = await decode(unneeded)
      this.#cache.set(key, bytes)

      return bytes
    } finally {
      this.#running--
      this.#startNext()
    }
  }

  async #turn (size: number, unneeded: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#init.maxWaiting) {
      throw new DecodeQueueFullError(this.#waiting.length)
    }

    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { size, start: resolve }
    const leave = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      reject(unneeded.reason)
    }

    this.#waiting.push(waiting)
    unneeded.addEventListener('abort', leave)
    this.#startNext()

    await promise.finally(() => { unneeded.removeEventListener('abort', leave) })
  }

  #startNext (): void {
    while (this.#running < this.#init.concurrency && this.#waiting.length > 0) {
      const time = this.#timeUntilAllowed()

      if (time > 0) {
        this.#pause(time)
        return
      }

      const { size, start } = this.#waiting.shift() as Waiting
      this.#allowance -= size
      this.#running++
      start()
    }
  }

  /** How long to wait until some bytes may be decompressed again, in milliseconds. */
  #timeUntilAllowed (): number {
    const { bytesPerSecond, clock } = this.#init
    const now = clock.now()

    this.#allowance = Math.min(bytesPerSecond, this.#allowance + (now - this.#countedAt) / 1000 * bytesPerSecond)
    this.#countedAt = now

    return this.#allowance > 0 ? 0 : Math.ceil((1 - this.#allowance) / bytesPerSecond * 1000)
  }

  #pause (time: number): void {
    if (!this.#isPaused) {
      this.#isPaused = true
      this.#init.clock.wait(time).finally(() => {
        this.#isPaused = false
        this.#startNext()
      })
    }
  }
}
