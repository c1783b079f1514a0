import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is refused. `status` is the HTTP status. */
export interface Refusal {
  status: number
  reason: string
}

/**
 * Refuses every request that is not from a command of the same user, which alone can read the
 * token. A web page is refused three times over: a browser sends an Origin or Sec-Fetch header, a
 * host name that resolves to 127.0.0.1 (DNS rebinding) shows in the Host header, and a page cannot
 * read the token.
 *
 * @returns undefined if the request may be answered
 */
export function refuse (
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { port, token }: { port: number, token: string }
): Refusal | undefined {
  if (headers.host !== `127.0.0.1:${port}`) {
    return { status: 403, reason: 'wrong host' }
  }

  if (headers.origin != null || headers['sec-fetch-site'] != null) {
    return { status: 403, reason: 'web pages have no access' }
  }

  if (!sameText(headers.authorization ?? '', `Bearer ${token}`)) {
    return { status: 401, reason: 'wrong token' }
  }

  if (method !== 'POST') {
    return { status: 405, reason: 'only POST' }
  }

  return undefined
}

/** Compares in constant time: the time tells nothing about the texts or their lengths. */
function sameText (a: string, b: string): boolean {
  const [left, right] = [a, b].map(text => createHash('sha256').update(text).digest())

  return timingSafeEqual(left, right)
}
