import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is refused, as a status of HTTP. */
export interface Refusal {
  status: number
  reason: string
}

/**
 * Whether a request may be answered: it comes from a command of the same user. A web
 * page cannot make one: a browser sends an Origin or a Sec-Fetch header, a name that
 * was made to lead to 127.0.0.1 is in the Host header, and nobody can read the token.
 */
export function refuse ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, { port, token }: { port: number, token: string }): Refusal | undefined {
  if (headers.host !== `127.0.0.1:${port}`) {
    return { status: 403, reason: 'wrong host' }
  }

  if (headers.origin != null || headers['sec-fetch-site'] != null) {
    return { status: 403, reason: 'not for web pages' }
  }

  if (!sameText(headers.authorization ?? '', `Bearer ${token}`)) {
    return { status: 401, reason: 'wrong token' }
  }

  if (method !== 'POST') {
    return { status: 405, reason: 'only POST' }
  }

  return undefined
}

/** Takes as long whatever is in them, and however long they are. */
function sameText (a: string, b: string): boolean {
  const [left, right] = [a, b].map(text => createHash('sha256').update(text).digest())

  return timingSafeEqual(left, right)
}
