import { messageOf } from '@ipfsz/utils/message-of'
import { StallDetector } from '../stall-detector.ts'
import { GatewayBusyError, GatewayConnectionError, GatewayRefusedError, GatewayStalledError } from './errors.ts'
import { MAX_REDIRECTS } from './limits.ts'

/** What is used of a `Response`. */
export interface GatewayResponse {
  readonly status: number
  readonly type?: string | undefined
  readonly headers: Pick<Headers, 'get' | 'has'>
  readonly body: GatewayBody | null
}

/** What is used of a `ReadableStream`. */
export interface GatewayBody {
  getReader: () => {
    /** The next chunk. Without a value: the body has ended. */
    read: () => Promise<{ value?: Uint8Array | undefined }>
    /** The next chunk, if it has arrived: to wait for each of Kubo's, of 32 KiB, takes longer than to copy it. */
    waiting?: (() => Uint8Array | undefined) | undefined
    /** Called with a chunk whose bytes have been copied: nobody will read its memory again. */
    release?: ((chunk: Uint8Array) => void) | undefined
  }
  cancel: () => Promise<void>
}

/** What a request has: it is a GET. */
export interface GatewayRequest extends Pick<RequestInit, 'credentials' | 'redirect' | 'referrerPolicy' | 'signal'> {
  headers: Record<string, string>
}

/** `fetch`, or what stands for it: one that refuses some addresses, or one of a test. */
export type Fetch = (url: URL, init: GatewayRequest) => Promise<GatewayResponse>

export interface RequestOptions {
  fetch: Fetch
  /** How long a gateway may send next to nothing, in milliseconds. */
  stallTimeout: number
  signal: AbortSignal
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** The statuses besides 5xx that say nothing of what was asked for. */
const BUSY: readonly number[] = [408, 425, 429]

/**
 * Ask a gateway, and return its response once its head is there and promises what was asked for.
 *
 * @param gateway - its URL
 * @param path - relative to that
 * @param type - the media type to ask for. Parameters follow after a semicolon
 * @throws {GatewayBusyError}
 * @throws {GatewayRefusedError}
 * @throws {GatewayStalledError}
 * @throws {GatewayConnectionError}
 */
export async function openResponse (
  gateway: string,
  path: string,
  type: string,
  { fetch, stallTimeout, signal }: RequestOptions
): Promise<GatewayResponse> {
  const stalled = new AbortController()
  const unwatch = new StallDetector()
    .watch(stallTimeout, () => { stalled.abort(new GatewayStalledError(gateway, stallTimeout)) })
  const init: GatewayRequest = {
    headers: { accept: type },
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    // `fetch` would follow to anywhere
    redirect: 'manual',
    signal: AbortSignal.any([signal, stalled.signal])
  }
  let url = new URL(path, gateway)

  try {
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(url, init)

      if (!REDIRECTS.includes(response.status)) {
        return await check(response, gateway, type)
      }

      await discard(response)
      url = redirected(url, response, gateway, redirects)
    }
  } catch (err) {
    signal.throwIfAborted()
    stalled.signal.throwIfAborted()

    throw err instanceof GatewayBusyError || err instanceof GatewayRefusedError
      ? err
      : new GatewayConnectionError(gateway, `cannot be reached: ${reasonOf(err)}`, { cause: err })
  } finally {
    unwatch()
  }
}

/** Do not read a response any further. Closes its connection. */
async function discard ({ body }: GatewayResponse): Promise<void> {
  await body?.cancel().catch(() => {})
}

async function check (response: GatewayResponse, gateway: string, type: string): Promise<GatewayResponse> {
  const { status, headers } = response
  const [actual] = (headers.get('content-type') ?? 'no media type').split(';')
  const [wanted] = type.split(';')

  if (status === 200 && actual.trim().toLowerCase() === wanted) {
    return response
  }

  await discard(response)

  if (response.type === 'opaqueredirect') {
    throw new GatewayRefusedError(gateway, status, 'redirects, but browsers do not reveal where to')
  }

  if (BUSY.includes(status) || status >= 500) {
    throw new GatewayBusyError(gateway, status, retryAfter(headers))
  }

  throw new GatewayRefusedError(gateway, status, status === 200
    ? `sent ${actual.slice(0, 100)} instead of ${wanted}`
    : `answered with the status ${status}`)
}

/**
 * Where a redirect leads. Followed only to the same host, and to the subdomains that gateways give each CID an origin
 * with (Subdomain Gateway), over https if it was https before.
 */
function redirected (from: URL, { status, headers }: GatewayResponse, gateway: string, redirects: number): URL {
  const location = headers.get('location') ?? ''
  // without one, or an empty one, it would lead to itself
  const to = location === '' ? null : URL.parse(location, from)
  const { hostname, protocol, port } = new URL(gateway)

  if (redirects === MAX_REDIRECTS) {
    throw new GatewayRefusedError(gateway, status, `redirects more than ${MAX_REDIRECTS} times`)
  }

  const isSameHost = to?.hostname === hostname || to?.hostname.endsWith(`.${hostname}`) === true
  const isSameOrigin = to?.protocol === protocol && to.port === port
  const isUpgraded = protocol === 'http:' && port === '' && to?.protocol === 'https:' && to.port === ''

  if (to == null || !isSameHost || !(isSameOrigin || isUpgraded)) {
    // with the protocol: it may be all that differs
    const place = to == null ? 'no valid URL' : `${to.protocol}//${to.host}`
    throw new GatewayRefusedError(gateway, status, `redirects to ${place}`)
  }

  return to
}

/** The header Retry-After in milliseconds: it has seconds or a date (RFC 9110, section 10.2.3). */
function retryAfter (headers: GatewayResponse['headers']): number | undefined {
  const text = headers.get('retry-after')

  if (text == null) {
    return undefined
  }

  const time = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()

  return Number.isNaN(time) ? undefined : Math.max(time, 0)
}

/** `fetch` of Node says `fetch failed`, and has the reason as its cause. */
export function reasonOf (err: unknown): string {
  const { cause } = err as Error
  const reason = cause instanceof Error ? cause : err
  const { code } = reason as { code?: string }

  // an error for several addresses has no message
  return messageOf(reason) || code || messageOf(err)
}
