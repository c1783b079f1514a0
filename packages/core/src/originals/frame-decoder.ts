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

interface Job {
  readonly key: string
  readonly size: number
  readonly decode: Decode
  readonly bytes: Promise<Uint8Array>
  resolve (bytes: Uint8Array): void
  reject (err: unknown): void
  readers: number
  readonly unneeded: AbortController
}

/**
 * Decompresses frames for many requests. A frame that several want is decompressed once, and the last ones are kept.
 * All others take turns: a few at a time, in the order of the requests, and only so many bytes in a second. So
 * whoever asks for one small block of each large frame in turn costs a bounded share of the processor.
 */
export class FrameDecoder {
  readonly #init: FrameDecoderInit
  /** The frame that was used last is last. */
  readonly #cache = new Map<string, Uint8Array>()
  readonly #jobs = new Map<string, Job>()
  readonly #waiting: Job[] = []
  #cached = 0
  #running = 0
  /** Bytes that may be decompressed now. Below 0 after a large frame. */
  #allowance: number
  #countedAt: number
  #isPaused = false

  constructor (init: FrameDecoderInit) {
    this.#init = init
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
    const cached = this.#cache.get(key)

    if (cached != null) {
      this.#keep(key, cached)

      return cached
    }

    const job = this.#jobs.get(key) ?? this.#enqueue(key, size, decode)

    return this.#join(job, signal)
  }

  #enqueue (key: string, size: number, decode: Decode): Job {
    if (this.#waiting.length >= this.#init.maxWaiting) {
      throw new DecodeQueueFullError(this.#waiting.length)
    }

    const { promise: bytes, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const unneeded = new AbortController()
    const job: Job = { key, size, decode, bytes, resolve, reject, readers: 0, unneeded }

    this.#jobs.set(key, job)
    this.#waiting.push(job)
    this.#finish(job).finally(() => { this.#forget(job) })
    this.#startNext()

    return job
  }

  /** Wait for a frame together with others. If the last one leaves, nobody decompresses it. */
  async #join (job: Job, signal?: AbortSignal | null): Promise<Uint8Array> {
    const left = Promise.withResolvers<never>()
    const leave = (): void => {
      left.reject(signal?.reason)

      if (--job.readers === 0) {
        this.#drop(job)
      }
    }

    job.readers++
    signal?.addEventListener('abort', leave, { once: true })

    try {
      return await Promise.race([job.bytes, left.promise])
    } finally {
      signal?.removeEventListener('abort', leave)
      left.promise.catch(() => {})
    }
  }

  #drop (job: Job): void {
    const at = this.#waiting.indexOf(job)

    if (at >= 0) {
      this.#waiting.splice(at, 1)
    }

    this.#forget(job)
    job.unneeded.abort()
    job.reject(job.unneeded.signal.reason)
  }

  #forget (job: Job): void {
    if (this.#jobs.get(job.key) === job) {
      this.#jobs.delete(job.key)
    }
  }

  #startNext (): void {
    while (this.#running < this.#init.concurrency && this.#waiting.length > 0) {
      const time = this.#timeUntilAllowed()

      if (time > 0) {
        this.#pause(time)
        return
      }

      const job = this.#waiting.shift() as Job
      this.#allowance -= job.size
      this.#running++
      this.#run(job).finally(() => {
        this.#running--
        this.#startNext()
      })
    }
  }

  async #finish ({ key, bytes }: Job): Promise<void> {
    try {
      this.#keep(key, await bytes)
    } catch {
      // those who wait get the failure
    }
  }

  async #run (job: Job): Promise<void> {
    try {
      job.resolve(await job.decode(job.unneeded.signal))
    } catch (err) {
      job.reject(err)
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

  #keep (key: string, bytes: Uint8Array): void {
    this.#cached -= this.#cache.get(key)?.byteLength ?? 0
    this.#cache.delete(key)
    this.#cache.set(key, bytes)
    this.#cached += bytes.byteLength

    for (const [oldest, { byteLength }] of this.#cache) {
      if (this.#cached <= this.#init.cacheSize) {
        break
      }

      this.#cache.delete(oldest)
      this.#cached -= byteLength
    }
  }
}
