import { raceAbort } from '@ipfsz/utils/race-abort'
import { MEASURED_AFTER, MIN_PROGRESS } from '../../constants.ts'
import { StallDetector } from '../stall-detector.ts'
import { GatewayConnectionError, GatewayStalledError } from './errors.ts'
import { MEASURED_BYTES } from './limits.ts'
import { reasonOf } from './open-response.ts'
import type { GatewayBody, GatewayResponse, RequestOptions } from './open-response.ts'

type Reader = ReturnType<GatewayBody['getReader']>

/**
 * Reads the body of a gateway's response in pieces, and notices if it stalls. The body is decoded if the response has
 * a Content-Encoding, so its length is unbounded: only what is asked for is read.
 */
export class BodyReader {
  readonly #gateway: string
  readonly #options: Pick<RequestOptions, 'stallTimeout' | 'signal'>
  readonly #reader: Reader | undefined
  /** On the clock of the time that the reader has waited. */
  readonly #arrivals = new StallDetector({ now: () => this.#waited + this.#waiting, least: MIN_PROGRESS })
  /** The last chunk, and those of its bytes that are not read. */
  #chunk: Uint8Array = new Uint8Array(0)
  #rest = this.#chunk
  #received = 0
  /** How long the reader has waited for bytes in all, in milliseconds. */
  #waited = 0
  /** What had been received and waited when a rate was measured last, and that rate. */
  #last = { received: 0, waited: 0, rate: 0 }
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

  get received (): number {
    return this.#received
  }

  /** How long the reader has waited for bytes, in milliseconds. */
  get waited (): number {
    return this.#waited
  }

  /**
   * Bytes per millisecond of waiting for them. Undefined: there are too few to tell. If the last ones came faster than
   * all together, their rate: a connection speeds up, and the rest of a file would seem to take several times as long.
   */
  get rate (): number | undefined {
    return this.#waited < MEASURED_AFTER && this.#received < MEASURED_BYTES
      ? undefined
      : Math.max(this.#received / Math.max(this.#waited, 1), this.#last.rate)
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
    this.#options.signal.throwIfAborted()
    const bytes = new Uint8Array(length)
    let filled = 0

    while (filled < length && (this.#takeWaiting() || await this.#pull())) {
      const part = this.#rest.subarray(0, length - filled)
      bytes.set(part, filled)
      filled += part.byteLength
      this.#rest = this.#rest.subarray(part.byteLength)

      if (this.#rest.byteLength === 0) {
        this.#reader?.release?.(this.#chunk)
      }
    }

    return bytes.subarray(0, filled)
  }

  /** Returns whether bytes have arrived that are not read. */
  #takeWaiting (): boolean {
    return this.#rest.byteLength > 0 || this.#take(this.#reader?.waiting?.())
  }

  /** Begin with a chunk. Returns whether there is one. */
  #take (chunk: Uint8Array | undefined): boolean {
    const length = chunk?.byteLength ?? 0
    this.#chunk = this.#rest = chunk ?? this.#rest
    this.#received += length
    this.#arrivals.arrived(length)

    return chunk != null
  }

  /** Wait for the next chunk. Returns whether there is one: the body may have ended. */
  async #pull (): Promise<boolean> {
    const { signal, stallTimeout } = this.#options

    this.#waitsSince = performance.now()
    const stalled = Promise.withResolvers<never>()
    const unwatch = this.#arrivals.watch(stallTimeout, () => {
      stalled.reject(new GatewayStalledError(this.#gateway, stallTimeout))
    }, { since: 0 })

    try {
      const pulled: ReturnType<Reader['read']> = this.#reader?.read() ?? Promise.resolve({})
      const { value } = await raceAbort(Promise.race([pulled, stalled.promise]), signal)
        .catch((err: unknown) => { throw this.#explain(err) })

      return this.#take(value)
    } finally {
      this.#waited += this.#waiting
      this.#waitsSince = undefined
      const [received, waited, last] = [this.#received, this.#waited, this.#last]
      const rate = (received - last.received) / (waited - last.waited)
      this.#last = waited - last.waited < MEASURED_AFTER ? last : { received, waited, rate }
      unwatch()
    }
  }

  #explain (err: unknown): unknown {
    this.#options.signal.throwIfAborted()

    return err instanceof GatewayStalledError
      ? err
      : new GatewayConnectionError(this.#gateway, reasonOf(err), { received: this.#received, cause: err })
  }
}
