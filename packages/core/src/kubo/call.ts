import { following, raceSignal } from '../abort.ts'
import { KuboFailedError, KuboForbiddenError, KuboUnreachableError, NotKuboError } from './errors.ts'

/** The errors of `fetch` of Node and of the system where a server is not reached, or goes away. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/** What Kubo says of a block that it would have to fetch. */
const NOT_HERE = /could not find|not found/

/** As kubo-rpc-client throws it. */
interface HTTPError extends Error {
  response: { status: number }
}

/**
 * Call a Kubo node, and wait no longer than a time for it.
 *
 * @param time - milliseconds
 * @throws {KuboUnreachableError}
 * @throws {KuboForbiddenError}
 * @throws {NotKuboError}
 * @throws {KuboFailedError}
 */
export async function callKubo<T> (call: (signal: AbortSignal) => Promise<T>, time: number, signal?: AbortSignal | null): Promise<T> {
  const { controller, unfollow } = following(signal)
  const timer = Number.isFinite(time) ? setTimeout(() => { controller.abort(new KuboUnreachableError(`there was nothing for ${time / 1000} s`)) }, time) : undefined

  try {
    return await raceSignal(call(controller.signal), controller.signal)
  } catch (err) {
    // that of the caller as it is
    signal?.throwIfAborted()
    throw controller.signal.aborted ? controller.signal.reason : explained(err)
  } finally {
    clearTimeout(timer)
    unfollow()
  }
}

/** Whether Kubo says that it does not have a block. */
export function isNotHere (err: unknown): boolean {
  return err instanceof KuboFailedError && NOT_HERE.test(err.message)
}

function explained (err: unknown): Error {
  if (!(err instanceof Error)) {
    return new NotKuboError(String(err))
  }

  if (isHttpError(err)) {
    const { status } = err.response

    if (status === 401 || status === 403) {
      return new KuboForbiddenError(status, { cause: err })
    }

    // Kubo answers with 500 to all that it could not do, with 400 to what it does not understand
    return status >= 500 || status === 400
      ? new KuboFailedError(err.message, { cause: err })
      : new NotKuboError(`HTTP status ${status}`, { cause: err })
  }

  for (let at: unknown = err; at instanceof Error; at = at.cause) {
    if ('code' in at && UNREACHABLE.has(String(at.code))) {
      return new KuboUnreachableError(at.message || String(at.code), { cause: err })
    }
  }

  // `fetch` of browsers tells no more than that
  return err.name === 'TypeError' && err.message.includes('fetch')
    ? new KuboUnreachableError(err.message, { cause: err })
    : new NotKuboError(err.message, { cause: err })
}

function isHttpError (err: Error): err is HTTPError {
  return typeof (err as Partial<HTTPError>).response?.status === 'number'
}
