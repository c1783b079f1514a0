import { METHODS } from '../cors.ts'
import { GatewayError } from '../errors.ts'
import { renderError } from '../html/error.ts'
import { acceptsHtml } from '../request/format.ts'
import { addPageSecurity } from './headers.ts'
import type { GatewayInit } from '../contract.ts'

/** Seconds after which a client may ask again for what could not be fetched. */
const RETRY_AFTER = 30

/** Maximum number of characters of a message: it may name CIDs, which hold up to a block, and what caused it. */
const MAX_MESSAGE = 2000

/** Something failed here that should not. */
const INTERNAL_ERROR = 500

/** Too many ask at once. */
const UNAVAILABLE = 503

/** nginx's status for a client that went away. Nobody reads it but an access log. */
const CLIENT_CLOSED_REQUEST = 499

/**
 * Statuses of errors by name, because several packages have classes of these names. All others are 500.
 *
 * - 400: the CID itself cannot be read
 * - 404: not stored here, or no such name
 * - 406: not as the client asks for it
 * - 422: the blocks are there, but do not hold what the CID says
 * - 504: it could not be fetched in time
 */
const STATUSES: Readonly<Record<string, number>> = {
  DigestLengthError: 400,
  InvalidParametersError: 400,
  UnknownHashError: 400,
  BlockNotFoundWhileOfflineError: 404,
  DoesNotExistError: 404,
  NameNotFoundError: 404,
  NotADirectoryError: 404,
  NotFoundError: 404,
  BodyTooLargeError: 406,
  NotAFileError: 406,
  BaseTooCostlyError: 422,
  ContentMismatchError: 422,
  CorruptFrameError: 422,
  FrameTooLargeError: 422,
  InvalidBaseError: 422,
  InvalidDagError: 422,
  InvalidDictionaryError: 422,
  InvalidHeaderError: 422,
  InvalidTrailerError: 422,
  LinkMismatchError: 422,
  MissingHeaderError: 422,
  NotUnixFSError: 422,
  UncheckedLinkError: 422,
  WindowTooLargeError: 422,
  WrongBaseError: 422,
  MissingImplementationError: 501,
  UnknownCodecError: 501,
  InsufficientProvidersError: 502,
  ResponseTooSlowError: 503,
  BodyStalledError: 504,
  FetchStalledError: 504,
  GatewaysFailedError: 504,
  LoadBlockFailedError: 504,
  TimeoutError: 504
}

/** Names of errors in a chain of causes. */
const BUSY: ReadonlySet<string> = new Set(['DecodeQueueFullError'])
const STORE_AWAY: ReadonlySet<string> = new Set([
  'S3NetworkError', 'S3ResponseError', 'StoreAwayError', 'StoreError', 'StoreMissingError'
])

/** The status of a failure. */
export function statusOf (err: unknown): number {
  if (err instanceof GatewayError) {
    return err.status
  }

  if (!(err instanceof Error)) {
    return INTERNAL_ERROR
  }

  if (err.name === 'AbortError') {
    return CLIENT_CLOSED_REQUEST
  }

  // the cause says why the base of a file cannot be read
  if (err.name === 'UnreadableBaseError') {
    return statusOf(err.cause)
  }

  if (isBusy(err) || isStoreAway(err)) {
    return UNAVAILABLE
  }

  return Object.hasOwn(STATUSES, err.name) ? STATUSES[err.name] : INTERNAL_ERROR
}

/** Whether a block is not found only because too many wait for blocks of originals: it is there a little later. */
function isBusy (err: Error): boolean {
  return isBecauseOf(err, BUSY)
}

/** Whether the store that the gateway shares with other nodes does not answer. */
function isStoreAway (err: unknown): boolean {
  return isBecauseOf(err, STORE_AWAY)
}

function isBecauseOf (err: unknown, names: ReadonlySet<string>): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (names.has(at.name)) {
      return true
    }
  }

  return false
}

/** Report a failure that is the gateway's own, and nobody else's: not a client's, an author's or a peer's. */
export function reportFailure (err: unknown, request: Request, { onError }: Pick<GatewayInit, 'onError'>): void {
  const isOwn = statusOf(err) === INTERNAL_ERROR || isStoreAway(err)

  if (!request.signal.aborted && !(err instanceof GatewayError) && isOwn) {
    onError?.(err, request)
  }
}

/** A failure before the first byte of a body: a page if the client accepts one, else plain text. Is not cached. */
export function respondError (err: unknown, request: Request): Response {
  // whatever failed then, it failed because nobody waits for it any more
  const status = request.signal.aborted ? CLIENT_CLOSED_REQUEST : statusOf(err)
  const headers = new Headers({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    vary: 'Accept'
  })
  const message = messageOf(err, status)
  const isPage = acceptsHtml(request)

  if (isPage) {
    addPageSecurity(headers)
  }

  if (status === 405) {
    headers.set('allow', METHODS)
  }

  if (status === 429 || (status >= 502 && status <= 504)) {
    headers.set('retry-after', String(RETRY_AFTER))
  }

  const body = isPage ? renderError({ status, message, name: nameOf(err, status) }) : `${message}\n`

  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}

function nameOf (err: unknown, status: number): string | undefined {
  return err instanceof Error && status !== INTERNAL_ERROR && !isStoreAway(err) ? err.name : undefined
}

/** What a stranger may read: errors that nobody expected can name files and hosts. */
function messageOf (err: unknown, status: number): string {
  if (isStoreAway(err)) {
    return 'The store of the gateway does not respond'
  }

  if (err instanceof GatewayError || (err instanceof Error && status !== INTERNAL_ERROR)) {
    return err.message.slice(0, MAX_MESSAGE)
  }

  return err instanceof Error && err.name === 'CorruptBlockError'
    ? 'A block of this content is damaged in the store of the gateway'
    : 'The gateway failed to answer this request'
}
