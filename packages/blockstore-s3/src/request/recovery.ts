import { messageOf } from '@ipfsz/utils/message-of'
import { CLOCK_TOLERANCE, MAX_STALLS } from '../constants.ts'
import {
  S3ClockSkewError, S3DamagedObjectError, S3NetworkError, S3ObjectTooLargeError, S3ResponseError
} from '../errors.ts'
import { parseError, printable } from '../xml/error.ts'
import { AnswerTooLarge } from './answer-reader.ts'
import { AnswerError } from './attempt.ts'
import { isRetried, parseRetryAfter, retryDelay } from './backoff.ts'
import { subjectOf } from './sending.ts'
import { Stall, TransportFailure, WrongChecksum } from './transport.ts'
import type { KeptCredentials } from '../credentials/kept-credentials.ts'
import type { Sending } from './sending.ts'
import type { StoreClock } from './store-clock.ts'
import type { Answer } from './transport.ts'

const EXPIRED: ReadonlySet<string> = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired'])
const SKEWED: ReadonlySet<string> = new Set(['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'])

/** The code of an answer that S3 does not give, such as the page of a proxy. */
const INVALID_ANSWER = 'InvalidAnswer'

/** Decides after an attempt that failed whether another one can help, and what is to be different then. */
export class Recovery {
  readonly #credentials: KeptCredentials
  readonly #clock: StoreClock
  readonly #maxAttempts: number

  constructor (credentials: KeptCredentials, clock: StoreClock, maxAttempts: number) {
    this.#credentials = credentials
    this.#clock = clock
    this.#maxAttempts = maxAttempts
  }

  /**
   * The store answered with an error.
   *
   * @returns how long to wait before the next attempt, in milliseconds
   */
  async afterError (sending: Sending, { status, headers, body }: Answer): Promise<number> {
    const { code, message } = parseError(status, body)
    const skew = this.#clock.skewOf(headers.date)

    // an answer to HEAD has no code. Another request may have corrected the clock meanwhile
    if ((status === 403 || SKEWED.has(code)) && isSkewed(sending.date, headers.date) && skew != null &&
      !sending.clockCorrected) {
      sending.clockCorrected = true
      this.#clock.correct(skew)

      return 0
    }

    if (SKEWED.has(code)) {
      throw new S3ClockSkewError(subjectOf(sending), skew)
    }

    if (EXPIRED.has(code) && !sending.credentialsDropped) {
      sending.credentialsDropped = true
      this.#credentials.drop(sending.credentials)

      return 0
    }

    // stores have several codes for a key that they do not know, and none in an answer to HEAD
    if (status === 403 && !sending.credentialsDropped) {
      sending.credentialsDropped = true

      if (await this.#credentials.replace(sending.credentials)) {
        return 0
      }
    }

    if (isRetried(status, code) && this.#isTriedAgain(sending)) {
      sending.avoid.add(sending.endpoint)

      return retryDelay(sending.attempts, parseRetryAfter(headers['retry-after'], headers.date))
    }

    if (isRetried(status, code)) {
      // the caller may send another request instead, as those do that send each once: it goes elsewhere
      sending.endpoints.unreachable(sending.endpoint)
    }

    const region = headers['x-amz-bucket-region']
    const elsewhere = typeof region === 'string' && region !== sending.settings.region
      ? `the bucket is in the region ${region.slice(0, 64)}`
      : message

    throw new S3ResponseError(subjectOf(sending), status, code, elsewhere)
  }

  /**
   * There is no answer.
   *
   * @returns how long to wait before the next attempt, in milliseconds
   */
  afterFailure (sending: Sending, failure: TransportFailure | AnswerTooLarge): number {
    const { request, endpoints, endpoint, avoid } = sending

    if (failure instanceof AnswerTooLarge) {
      throw new S3ObjectTooLargeError(subjectOf(sending), request.maxBytes)
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

    sending.stalls += failure instanceof Stall ? 1 : 0

    if (!this.#isTriedAgain(sending)) {
      // a network does not damage every answer
      throw failure instanceof WrongChecksum
        ? new S3DamagedObjectError(subjectOf(sending))
        : new S3NetworkError(subjectOf(sending), phase, message, cause)
    }

    return endpoints.hasOther(avoid) ? 0 : retryDelay(sending.attempts)
  }

  /** The answer is no error, and is not what was asked for. */
  afterUnreadable (sending: Sending, { status }: Answer, err: unknown): number {
    if (err instanceof TransportFailure) {
      return this.afterFailure(sending, err)
    }

    const code = err instanceof AnswerError ? err.code : INVALID_ANSWER

    if (isRetried(status, code) && this.#isTriedAgain(sending)) {
      return retryDelay(sending.attempts)
    }

    throw new S3ResponseError(subjectOf(sending), status, code, printable(messageOf(err)))
  }

  #isTriedAgain ({ attempts, stalls, budget, endpoints, avoid }: Sending): boolean {
    return attempts < this.#maxAttempts && !budget.isSpent() && (stalls < MAX_STALLS || endpoints.hasOther(avoid))
  }
}

/** Whether the store can have refused a request because of the time that it was signed with. */
function isSkewed (signed: Date, date: string | undefined): boolean {
  return Math.abs(Date.parse(date ?? '') - signed.getTime()) > CLOCK_TOLERANCE
}
