import { setTimeout as delay } from 'node:timers/promises'
import { BACKOFF_BASE, BACKOFF_MAX, MAX_RETRY_AFTER } from '../constants.ts'

const RETRIED_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])
/** Some of these come with status 400. */
const RETRIED_CODE: ReadonlySet<string> = new Set([
  'InternalError', 'RequestTimeout', 'ServiceUnavailable', 'SlowDown', 'Throttling', 'TooManyRequests'
])

/** Whether the same request may succeed later. */
export function isRetried (status: number, code: string): boolean {
  return RETRIED_STATUS.has(status) || RETRIED_CODE.has(code)
}

/**
 * How long to wait before the next attempt, in milliseconds: anything up to twice as long each time (full jitter), so
 * that nodes that failed together do not come back together. A store that names a time is given that besides.
 *
 * @param attempt - the one that failed, counted from 1
 */
export function retryDelay (attempt: number, retryAfter = 0, random: () => number = Math.random): number {
  return Math.min(retryAfter, MAX_RETRY_AFTER) + random() * Math.min(BACKOFF_MAX, BACKOFF_BASE * 2 ** (attempt - 1))
}

/**
 * The `Retry-After` of an answer, in milliseconds (RFC 9110, section 10.2.3).
 *
 * @param date - the `Date` of the same answer: the store's clock counts
 */
export function parseRetryAfter (value: string | undefined, date: string | undefined): number {
  if (value == null) {
    return 0
  }

  const milliseconds = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(date ?? '') || Date.now())

  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds)
}

/** @throws the reason of the signal */
export async function wait (milliseconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal: signal ?? undefined })
  } catch (err) {
    signal?.throwIfAborted()
    throw err
  }
}
