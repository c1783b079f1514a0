import { anySignal } from 'any-signal'
import { raceSignal } from 'race-signal'
import { KuboFailedError, KuboForbiddenError, KuboUnreachableError, NotKuboError } from './errors.ts'

/** Error codes of Node's `fetch` and of the system if a server cannot be reached or goes away. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT'
])

/** Kubo's message if it does not have a block and may not fetch it. */
const NOT_HERE = /could not find|not found/

/** Error codes of a failed TLS handshake: the server does not speak TLS, or its certificate is not trusted. */
const TLS = /^(EPROTO|ERR_(SSL|TLS)_.*|.*(CERT|SIGNATURE|CRL).*)$/

/** Maximum number of characters of an answer that a message quotes: it may be a whole page. */
const MAX_REASON = 500

/** The error that kubo-rpc-client throws for an HTTP status. */
interface HTTPError extends Error {
  response: { status: number }
}

/**
 * Call a Kubo node, with a time limit.
 *
 * @param time - milliseconds, or Infinity
 * @throws {KuboUnreachableError}
 * @throws {KuboForbiddenError}
 * @throws {NotKuboError}
 * @throws {KuboFailedError}
 */
export async function callKubo<T> (
  call: (signal: AbortSignal) => Promise<T>,
  time: number,
  signal?: AbortSignal | null
): Promise<T> {
  const timeout = new AbortController()
  const combined = anySignal([signal, timeout.signal])
  const onTimeout = (): void => { timeout.abort(new KuboUnreachableError(`no answer for ${time / 1000} s`)) }
  const timer = Number.isFinite(time) ? setTimeout(onTimeout, time) : undefined

  try {
    return await raceSignal(call(combined), combined)
  } catch (err) {
    // the caller's abort is thrown unchanged
    signal?.throwIfAborted()
    throw timeout.signal.aborted ? timeout.signal.reason : toKuboError(err)
  } finally {
    clearTimeout(timer)
    combined.clear()
  }
}

/** Whether an error means that Kubo does not have a block. */
export function isNotHere (err: unknown): boolean {
  return err instanceof KuboFailedError && NOT_HERE.test(err.message)
}

function toKuboError (err: unknown): Error {
  if (!(err instanceof Error)) {
    return new NotKuboError(shorten(String(err)))
  }

  if (isHttpError(err)) {
    const { status } = err.response

    if (status === 401 || status === 403) {
      return new KuboForbiddenError(status, { cause: err })
    }

    // Kubo answers with 500 if an operation failed, and with 400 if it does not understand the request
    return status >= 500 || status === 400
      ? new KuboFailedError(shorten(err.message), { cause: err })
      : new NotKuboError(`HTTP status ${status}`, { cause: err })
  }

  // kubo-rpc-client throws this for an answer from Kubo that mentions a timeout
  if (err.name === 'TimeoutError') {
    return new KuboFailedError(shorten(err.message), { cause: err })
  }

  let last = err

  for (let at: unknown = err; at instanceof Error; at = at.cause) {
    last = at

    if ('code' in at && (UNREACHABLE.has(String(at.code)) || TLS.test(String(at.code)))) {
      return new KuboUnreachableError(shorten(at.message || String(at.code)), { cause: err })
    }
  }

  // browsers give no other hint that `fetch` failed
  return err.name === 'TypeError' && err.message.includes('fetch')
    ? new KuboUnreachableError(shorten(last.message), { cause: err })
    : new NotKuboError(shorten(last.message), { cause: err })
}

function shorten (reason: string): string {
  const text = reason.trim()

  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text
}

function isHttpError (err: Error): err is HTTPError {
  return typeof (err as Partial<HTTPError>).response?.status === 'number'
}
