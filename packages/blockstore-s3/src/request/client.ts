import { raceAbort } from '@ipfsz/utils/race-abort'
import { anySignal } from 'any-signal'
import {
  DEFAULT_ATTEMPTS, DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_CONNECTIONS, DEFAULT_PROGRESS_TIMEOUT,
  DEFAULT_RESPONSE_TIMEOUT, DEFAULT_TOTAL_TIMEOUT, IDLE_TIMEOUT
} from '../constants.ts'
import { findCredentials } from '../credentials/find.ts'
import { KeptCredentials } from '../credentials/kept-credentials.ts'
import { S3NetworkError, S3ObjectTooLargeError } from '../errors.ts'
import { Agents } from './agents.ts'
import { AnswerTooLarge } from './answer-reader.ts'
import { attempt } from './attempt.ts'
import { wait } from './backoff.ts'
import { Endpoints } from './endpoints.ts'
import { checkIsFromStore } from './foreign-answer.ts'
import { Recovery } from './recovery.ts'
import { findSettings } from './settings.ts'
import { StoreClock } from './store-clock.ts'
import { TimeBudget } from './time-budget.ts'
import { TransportFailure } from './transport.ts'
import type { S3ObjectsInit, S3RequestEvent, S3Validity } from '../contract.ts'
import type { S3Request } from './attempt.ts'
import type { Sending } from './sending.ts'
import type { Answer, Timeouts } from './transport.ts'

/** Sends signed requests to one bucket, again and to other endpoints if that can help. */
export class S3Client {
  readonly #init: S3ObjectsInit
  readonly #credentials: KeptCredentials
  readonly #clock: StoreClock
  readonly #recovery: Recovery
  readonly #timeouts: Timeouts
  readonly #kept: Agents
  readonly #fresh: Agents
  #settings: Promise<Pick<Sending, 'endpoints' | 'settings'>> | undefined

  constructor (init: S3ObjectsInit) {
    const { credentials, now = Date.now, maxConnections: maxSockets = DEFAULT_MAX_CONNECTIONS } = init
    const provider = typeof credentials === 'function' || credentials == null
      ? credentials ?? findCredentials(init.profile)
      : async () => credentials

    this.#init = init
    this.#credentials = new KeptCredentials(provider, now)
    this.#clock = new StoreClock(now)
    this.#recovery = new Recovery(this.#credentials, this.#clock, init.attempts ?? DEFAULT_ATTEMPTS)
    this.#timeouts = {
      connect: init.connectTimeout ?? DEFAULT_CONNECT_TIMEOUT,
      response: init.responseTimeout ?? DEFAULT_RESPONSE_TIMEOUT,
      progress: init.progressTimeout ?? DEFAULT_PROGRESS_TIMEOUT
    }
    this.#kept = new Agents({ keepAlive: true, maxSockets, scheduling: 'lifo', timeout: IDLE_TIMEOUT })
    this.#fresh = new Agents({ maxSockets })
  }

  /**
   * @returns what the request reads from an answer that is no error
   * @throws {S3ResponseError}
   * @throws {S3NetworkError}
   * @throws {S3ClockSkewError}
   * @throws {S3CredentialsError}
   * @throws {S3UrlError}
   * @throws {S3ObjectTooLargeError}
   * @throws the reason of the request's signal, or of the one for all that begin
   */
  async send<T> (request: S3Request<T>): Promise<T> {
    const either = anySignal([request.signal, this.#init.signal?.()])

    try {
      return await this.#send({ ...request, signal: either })
    } finally {
      either.clear()
    }
  }

  async #send<T> (request: S3Request<T> & { signal: AbortSignal }): Promise<T> {
    const { signal } = request
    signal.throwIfAborted()
    const sending: Sending = {
      // a credentials service may not respond either
      ...await raceAbort(this.#findSettings(), signal),
      request,
      bucket: this.#init.bucket,
      endpoint: '',
      credentials: await raceAbort(this.#credentials.get(), signal),
      date: this.#clock.date,
      attempts: 0,
      stalls: 0,
      budget: new TimeBudget(this.#init.totalTimeout ?? DEFAULT_TOTAL_TIMEOUT),
      avoid: new Set(),
      // a kept connection that breaks does not say whether the request arrived
      fresh: this.#init.attempts === 1,
      clockCorrected: false,
      credentialsDropped: false
    }

    for (;;) {
      signal.throwIfAborted()
      const result = await this.#attempt(sending)
      let milliseconds: number

      if (result instanceof Error) {
        milliseconds = this.#recovery.afterFailure(sending, result)
      } else if (result.status >= 300) {
        milliseconds = await raceAbort(this.#recovery.afterError(sending, result), signal)
      } else {
        try {
          return request.read(result)
        } catch (err) {
          milliseconds = this.#recovery.afterUnreadable(sending, result, err)
        }
      }

      await wait(milliseconds, signal)
    }
  }

  /** A validity that begins now. */
  validFor (milliseconds: number): S3Validity {
    // times are signed, and told by stores, in whole seconds
    return { from: this.#clock.present, seconds: Math.ceil(milliseconds / 1000) + 1 }
  }

  /** Close all connections. Call it when no request runs. */
  close (): void {
    this.#kept.close()
  }

  async #findSettings (): Promise<Pick<Sending, 'endpoints' | 'settings'>> {
    this.#settings ??= findSettings(this.#init).then(settings => ({
      settings,
      endpoints: new Endpoints(settings.endpoints)
    }))

    try {
      return await this.#settings
    } catch (err) {
      this.#settings = undefined
      throw err
    }
  }

  /** @returns the answer, or why there is none. Errors that attempts cannot change are thrown. */
  async #attempt (sending: Sending): Promise<Answer | TransportFailure | AnswerTooLarge> {
    const { request, settings, endpoints, fresh, avoid } = sending
    const endpoint = endpoints.choose(avoid)
    const begin = performance.now()
    let result: Answer | TransportFailure | AnswerTooLarge

    sending.endpoint = endpoint
    sending.credentials = await raceAbort(this.#credentials.get(), request.signal)
    sending.date = request.validity?.from(endpoint) ?? this.#clock.date
    sending.attempts++

    try {
      result = await attempt(request, {
        bucket: this.#init.bucket,
        endpoint,
        settings,
        credentials: sending.credentials,
        date: sending.date,
        agent: (fresh ? this.#fresh : this.#kept).for(endpoint),
        timeouts: this.#timeouts,
        budget: sending.budget,
        onReceived: this.#init.onReceived
      })
      checkIsFromStore(request, result)
      endpoints.answered(endpoint)
      this.#clock.saw(endpoint, result)
    } catch (err) {
      request.signal?.throwIfAborted()

      if (!(err instanceof TransportFailure || err instanceof AnswerTooLarge)) {
        throw err
      }

      result = err
    }

    this.#report({
      operation: request.operation,
      endpoint,
      attempt: sending.attempts,
      sent: request.body?.byteLength ?? 0,
      milliseconds: performance.now() - begin,
      ...result instanceof Error
        ? { received: 0, error: result instanceof AnswerTooLarge ? S3ObjectTooLargeError.name : S3NetworkError.name }
        : { received: result.body.byteLength, status: result.status }
    })

    return result
  }

  #report (event: S3RequestEvent): void {
    try {
      this.#init.onRequest?.(event)
    } catch {
      // metrics must not fail a request
    }
  }
}
