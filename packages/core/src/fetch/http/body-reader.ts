import { MEASURED_AFTER, MIN_PROGRESS } from '../../constants.ts'
import { StallDetector } from '../stall-detector.ts'
import { GatewayConnectionError, GatewayStalledError } from './errors.ts'
import { MEASURED_BYTES } from './limits.ts'
import { reasonOf } from './open-response.ts'
import type { GatewayBody, GatewayChunk, GatewayResponse, RequestOptions } from './open-response.ts'

/**
 * Reads the body of a gateway's response in pieces, and notices if it stalls. The body is decoded if the response has
 * a Content-Encoding, so its length is unbounded: only what is asked for is read.
 */
export class BodyReader {
  readonly #gateway: string
  readonly #options: Pick<RequestOptions, 'stallTimeout' | 'signal'>
  readonly #reader: ReturnType<GatewayBody['getReader']> | undefined
  /** On the clock of the time that the reader has waited. */
  readonly #arrivals = new StallDetector({ now: () => this.#waited + this.#waiting, least: MIN_PROGRESS })
  /** What is left of the last chunk. */
  #chunk = new Uint8Array(0)
  #whole: Uint8Array | undefined
  #received = 0
  /** How long the reader has waited for bytes in all, in milliseconds. */
  #waited = 0
  /** Since when it has been waiting for the next bytes, on the clock of `performance.now`. */
  #waitsSince: number | undefined

  constructor (
    gateway: string,
    { body }: Pick<GatewayResponse, 'body'>,
    options: Pick<RequestOptions, 'stallTimeout' | 'signal'>
  ) {
    this.#gateway = gateway
    this.#options = options
    this.#reader = body?.getReader()
  }

  /** How long the reader has waited for bytes, in milliseconds. */
  get waited (): number {
    return this.#waited
  }

  /** Bytes per millisecond of waiting for them. Undefined: there are too few to tell. */
  get rate (): number | undefined {
    return this.#waited < MEASURED_AFTER && this.#received < MEASURED_BYTES
      ? undefined
      : this.#received / Math.max(this.#waited, 1)
  }

  /** How long the reader has waited since the last 8 KiB, in milliseconds. */
  get silence (): number {
    return this.#arrivals.silence(0)
  }

  /** How long the reader has been waiting for the next bytes, in milliseconds. */
  get #waiting (): number {
    return this.#waitsSince == null ? 0 : performance.now() - this.#waitsSince
  }

  /**
   * The next `length` bytes, or fewer if the body ends.
   *
   * @throws {GatewayStalledError}
   * @throws {GatewayConnectionError} the connection was cut, or the bytes cannot be decoded
   */
  async read (length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length)
    let position = 0

    while (position < length && (this.#chunk.byteLength > 0 || await this.#fill())) {
      const part = this.#take(length - position)
      bytes.set(part, position)
      position += part.byteLength
    }

    return bytes.subarray(0, position)
  }

  /** The next byte. Undefined: the body has ended. */
  async byte (): Promise<number | undefined> {
    return await this.#fill() ? this.#take(1)[0] : undefined
  }

  #take (length: number): Uint8Array {
    const bytes = this.#chunk.subarray(0, length)
    this.#chunk = this.#chunk.subarray(length)

    return bytes
  }

  /** Wait for bytes if there are none. False: the body has ended. */
  async #fill (): Promise<boolean> {
    while (this.#chunk.byteLength === 0) {
      if (this.#whole != null) {
        this.#reader?.release?.(this.#whole)
        this.#whole = undefined
      }

      const { done, value } = await this.#pull()

      if (done) {
        return false
      }

      this.#chunk = value as Uint8Array<ArrayBuffer>
      this.#whole = value
    }

    return true
  }

  async #pull (): Promise<GatewayChunk> {
    const { signal, stallTimeout } = this.#options
    signal.throwIfAborted()

    this.#waitsSince = performance.now()
    const stalled = Promise.withResolvers<never>()
    const onAbort = (): void => { stalled.reject(signal.reason as Error) }
    const unwatch = this.#arrivals.watch(stallTimeout, () => {
      stalled.reject(new GatewayStalledError(this.#gateway, stallTimeout))
    }, { since: 0 })

    signal.addEventListener('abort', onAbort, { once: true })

    try {
      const pulled: Promise<GatewayChunk> = this.#reader?.read() ?? Promise.resolve({ done: true })
      const result = await Promise.race([pulled, stalled.promise])
        .catch((err: unknown) => { throw this.#explain(err) })
      const bytes = result.value?.byteLength ?? 0

      this.#received += bytes
      this.#arrivals.arrived(bytes)

      return result
    } finally {
      this.#waited += this.#waiting
      this.#waitsSince = undefined
      unwatch()
      signal.removeEventListener('abort', onAbort)
    }
  }

  #explain (err: unknown): unknown {
    this.#options.signal.throwIfAborted()

    return err instanceof GatewayStalledError
      ? err
      : new GatewayConnectionError(this.#gateway, `cut its response: ${reasonOf(err)}`, { cause: err })
  }
}
