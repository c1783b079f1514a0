import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { messageOf } from '@ipfsz/codecs/internal'
import {
  CLOCK_TOLERANCE, DEFAULT_ATTEMPTS, DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_CONNECTIONS, DEFAULT_PROGRESS_TIMEOUT,
  DEFAULT_RESPONSE_TIMEOUT, IDLE_TIMEOUT
} from '../constants.ts'
import { findCredentials } from '../credentials/find.ts'
import { KeptCredentials } from '../credentials/kept-credentials.ts'
import { S3ClockSkewError, S3NetworkError, S3ObjectTooLargeError, S3ResponseError } from '../errors.ts'
import { parseError, printable } from '../xml/error.ts'
import { AnswerError, attempt } from './attempt.ts'
import { isRetried, parseRetryAfter, retryDelay, wait } from './backoff.ts'
import { Endpoints } from './endpoints.ts'
import { findSettings } from './settings.ts'
import { AnswerTooLarge, TransportFailure } from './transport.ts'
import type { S3Credentials, S3ObjectsInit, S3RequestEvent } from '../contract.ts'
import type { S3Subject } from '../errors.ts'
import type { S3Request } from './attempt.ts'
import type { Settings } from './settings.ts'
import type { Answer, Timeouts } from './transport.ts'

/** One request, and what its attempts have shown so far. */
interface Sending {
  request: S3Request
  settings: Settings
  endpoints: Endpoints
  /** Of the last attempt. */
  endpoint: string
  credentials: S3Credentials
  /** How often it was sent. */
  attempts: number
  /** Endpoints that failed it. */
  avoid: Set<string>
  /** A connection that was kept turned out to be closed: open a new one. */
  fresh: boolean
  clockCorrected: boolean
  credentialsDropped: boolean
}

const EXPIRED: ReadonlySet<string> = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired'])
const SKEWED: ReadonlySet<string> = new Set(['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'])

/** The code of an answer that S3 does not give, such as the page of a proxy. */
const INVALID_ANSWER = 'InvalidAnswer'

/** Sends signed requests to one bucket, again and to other endpoints if that can help. */
export class S3Client {
  readonly #init: S3ObjectsInit
  readonly #credentials: KeptCredentials
  readonly #now: () => number
  readonly #maxAttempts: number
  readonly #timeouts: Timeouts
  readonly #agents: { kept: Agents, fresh: Agents }
  #settings: Promise<Pick<Sending, 'endpoints' | 'settings'>> | undefined
  /** How far the store's clock is ahead of ours, in milliseconds. 0 until the store refuses our time. */
  #skew = 0

  constructor (init: S3ObjectsInit) {
    const { credentials, now = Date.now, maxConnections: maxSockets = DEFAULT_MAX_CONNECTIONS } = init
    const provider = typeof credentials === 'function' || credentials == null
      ? credentials ?? findCredentials(init.profile)
      : async () => credentials

    this.#init = init
    this.#now = now
    this.#credentials = new KeptCredentials(provider, now)
    this.#maxAttempts = init.attempts ?? DEFAULT_ATTEMPTS
    this.#timeouts = {
      connect: init.connectTimeout ?? DEFAULT_CONNECT_TIMEOUT,
      response: init.responseTimeout ?? DEFAULT_RESPONSE_TIMEOUT,
      progress: init.progressTimeout ?? DEFAULT_PROGRESS_TIMEOUT
    }
    this.#agents = {
      kept: new Agents({ keepAlive: true, maxSockets, scheduling: 'lifo', timeout: IDLE_TIMEOUT }),
      fresh: new Agents({ maxSockets })
    }
  }

  /**
   * @returns what the request reads from an answer that is no error
   * @throws {S3ResponseError}
   * @throws {S3NetworkError}
   * @throws {S3ClockSkewError}
   * @throws {S3CredentialsError}
   * @throws {S3UrlError}
   * @throws {S3ObjectTooLargeError}
   */
  async send<T> (request: S3Request<T>): Promise<T> {
    const { signal } = request
    signal?.throwIfAborted()
    const sending: Sending = {
      ...await this.#findSettings(),
      request,
      endpoint: '',
      credentials: await this.#credentials.get(),
      attempts: 0,
      avoid: new Set(),
      fresh: false,
      clockCorrected: false,
      credentialsDropped: false
    }

    for (;;) {
      signal?.throwIfAborted()
      const result = await this.#attempt(sending)
      let milliseconds: number

      if (result instanceof Error) {
        milliseconds = this.#afterFailure(sending, result)
      } else if (result.status >= 300) {
        milliseconds = this.#afterError(sending, result)
      } else {
        try {
          return request.read(result)
        } catch (err) {
          milliseconds = this.#afterUnreadable(sending, result, err)
        }
      }

      await wait(milliseconds, signal)
    }
  }

  /** Close the connections that are kept. */
  close (): void {
    this.#agents.kept.close()
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
    sending.credentials = await this.#credentials.get()
    sending.attempts++

    try {
      result = await attempt(request, {
        bucket: this.#init.bucket,
        endpoint,
        settings,
        credentials: sending.credentials,
        date: new Date(this.#now() + this.#skew),
        agent: (fresh ? this.#agents.fresh : this.#agents.kept).for(endpoint),
        timeouts: this.#timeouts
      })
      endpoints.answered(endpoint)
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

  /**
   * The store answered with an error.
   *
   * @returns how long to wait before the next attempt, in milliseconds
   */
  #afterError (sending: Sending, { status, headers, body }: Answer): number {
    const { code, message } = parseError(status, body)
    const date = Date.parse(headers.date ?? '')
    const skew = Number.isNaN(date) ? undefined : date - this.#now()

    if (status === 403 || SKEWED.has(code)) {
      // an answer to HEAD has no code
      if (!sending.clockCorrected && skew != null && Math.abs(skew - this.#skew) > CLOCK_TOLERANCE) {
        sending.clockCorrected = true
        this.#skew = skew

        return 0
      }

      if (SKEWED.has(code)) {
        throw new S3ClockSkewError(subjectOf(this.#init, sending), skew)
      }
    }

    if (EXPIRED.has(code) && !sending.credentialsDropped) {
      sending.credentialsDropped = true
      this.#credentials.drop(sending.credentials)

      return 0
    }

    if (isRetried(status, code) && sending.attempts < this.#maxAttempts) {
      sending.avoid.add(sending.endpoint)

      return retryDelay(sending.attempts, parseRetryAfter(headers['retry-after'], headers.date))
    }

    const region = headers['x-amz-bucket-region']
    const elsewhere = typeof region === 'string' && region !== sending.settings.region
      ? `the bucket is in the region ${region.slice(0, 64)}`
      : message

    throw new S3ResponseError(subjectOf(this.#init, sending), status, code, elsewhere)
  }

  /**
   * There is no answer.
   *
   * @returns how long to wait before the next attempt, in milliseconds
   */
  #afterFailure (sending: Sending, failure: TransportFailure | AnswerTooLarge): number {
    const { request, endpoints, endpoint, avoid } = sending

    if (failure instanceof AnswerTooLarge) {
      throw new S3ObjectTooLargeError(subjectOf(this.#init, sending), request.maxBytes)
    }

    const { phase, message, cause } = failure

    // the server closed the connection just before we used it again, which says nothing about the server
    if (failure.reused && !sending.fresh && cause != null && phase !== 'body') {
      sending.fresh = true
      sending.attempts--

      return 0
    }

    avoid.add(endpoint)

    if (phase !== 'body') {
      endpoints.unreachable(endpoint)
    }

    if (sending.attempts >= this.#maxAttempts) {
      throw new S3NetworkError(subjectOf(this.#init, sending), phase, message, cause)
    }

    return endpoints.hasOther(avoid) ? 0 : retryDelay(sending.attempts)
  }

  /** The answer is no error, and is not what was asked for. */
  #afterUnreadable (sending: Sending, { status }: Answer, err: unknown): number {
    if (err instanceof TransportFailure) {
      return this.#afterFailure(sending, err)
    }

    const code = err instanceof AnswerError ? err.code : INVALID_ANSWER

    if (isRetried(status, code) && sending.attempts < this.#maxAttempts) {
      return retryDelay(sending.attempts)
    }

    throw new S3ResponseError(subjectOf(this.#init, sending), status, code, printable(messageOf(err)))
  }

  #report (event: S3RequestEvent): void {
    try {
      this.#init.onRequest?.(event)
    } catch {
      // metrics must not fail a request
    }
  }
}

/** Who is asked for what, for messages. */
function subjectOf ({ bucket }: S3ObjectsInit, { request, endpoint, attempts }: Sending): S3Subject {
  return { operation: request.operation, bucket, key: request.key, endpoint, attempts }
}

/** Connections over HTTP and over HTTPS. */
class Agents {
  readonly #http: Agent
  readonly #https: HttpsAgent

  constructor (options: ConstructorParameters<typeof Agent>[0]) {
    this.#http = new Agent(options)
    this.#https = new HttpsAgent(options)
  }

  for (endpoint: string): Agent {
    return endpoint.startsWith('https:') ? this.#https : this.#http
  }

  close (): void {
    this.#http.destroy()
    this.#https.destroy()
  }
}
