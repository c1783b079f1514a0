import { PAGE_POLICY } from '../html/csp.ts'
import { contentLocation } from '../request/format.ts'
import type { ResponseContext } from './context.ts'
import type { ByteRange } from '../request/range.ts'
import type { Resolved } from '../resolve/resolved.ts'

/** How long what never changes may be cached (Path Gateway, `Cache-Control`). */
const IMMUTABLE = 'public, max-age=29030400, immutable'

/** Pages of what never changes: other versions of the gateway make other ones. A week, in seconds. */
const PAGE_MAX_AGE = 604_800
const PAGE_CACHING = `public, max-age=${PAGE_MAX_AGE}, stale-while-revalidate=2678400`

/** What protects a page that the gateway makes: it shows names of strangers. */
const PAGE_SECURITY: Readonly<Record<string, string>> = {
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff'
}

/** How long browsers may remember the answer to a preflight, in seconds. */
const PREFLIGHT_AGE = '86400'

/** Of a longer path the CIDs are not named: clients refuse headers that are too large, Node's above 16 KiB. */
const MAX_SHOWN_ROOTS = 128

export interface ContentHeadersInit {
  /** Quoted. */
  etag: string
  type?: string | undefined
  /** Bytes of the body, as they go over the wire. Undefined: not known before its end. */
  length?: number | undefined
  /** Undefined: the bytes go out as they are. */
  encoding?: string | undefined
  /** Whether another `Accept-Encoding` could get another answer. */
  variesByEncoding?: boolean | undefined
  /** Whether ranges can be asked for. Undefined: nothing is said of it. */
  ranges?: boolean | undefined
  /** The part that the body is. */
  range?: { range: ByteRange, size: number } | undefined
  disposition?: string | undefined
  /** Whether it is a page that the gateway makes. */
  isPage?: boolean | undefined
}

/** What headers depend on. */
export type HeaderContext = Pick<ResponseContext, 'request' | 'target' | 'format' | 'init'> &
  { resolved: Pick<Resolved, 'roots' | 'ttl'> }

/** How long it may be cached: for ever, or as long as the name leads there. */
function caching ({ ttl }: Pick<Resolved, 'ttl'>): string {
  return ttl == null ? IMMUTABLE : `public, max-age=${seconds(ttl)}`
}

/** A redirect of the website that a root is of. */
export function redirect (status: number, location: string, root: Pick<Resolved, 'ttl'>): Response {
  const headers = new Headers({ location, 'cache-control': caching(root) })

  return new Response(null, { status, headers })
}

/** The headers of every response to a path that leads somewhere: CORS, caching, what the path led to. */
function pathHeaders ({ request, target, format, resolved }: HeaderContext): Headers {
  const headers = new Headers()
  const location = contentLocation(target, request, format)

  headers.set('cache-control', caching(resolved))
  headers.set('x-ipfs-path', toHeaderValue(`/${target.namespace}/${target.name}${target.rawPath}`))

  if (resolved.roots.length > 0 && resolved.roots.length <= MAX_SHOWN_ROOTS) {
    headers.set('x-ipfs-roots', resolved.roots.join(','))
  }

  // the same URL has other formats too; `Accept` has parameters of CARs
  if ((target.query.get('format') ?? '') === '' || format === 'car') {
    headers.append('vary', 'Accept')
  }

  if (location != null) {
    headers.set('content-location', location)
  }

  return headers
}

/** `pathHeaders`, and those that describe a body. */
export function contentHeaders (context: HeaderContext, init: ContentHeadersInit): Headers {
  const headers = pathHeaders(context)
  const set = (name: string, value: string | undefined): void => {
    if (value != null) {
      headers.set(name, value)
    }
  }

  set('etag', init.etag)
  set('content-type', init.type)
  set('content-length', init.length?.toString())
  set('content-encoding', init.encoding)
  set('content-disposition', init.disposition)

  if (init.ranges != null) {
    set('accept-ranges', init.ranges ? 'bytes' : 'none')
  }

  if (init.range != null) {
    const { range: { start, end }, size } = init.range
    set('content-range', `bytes ${start}-${end - 1}/${size}`)
  }

  if (init.variesByEncoding === true) {
    headers.append('vary', 'Accept-Encoding')
  }

  if (context.format !== 'file') {
    // no script or style of a page, whatever its bytes look like
    set('x-content-type-options', 'nosniff')
  }

  if (init.isPage === true) {
    addPage(headers, context.resolved)
  }

  // other formats are never shown as pages
  if (context.target.onForeignHost === true && context.format === 'file') {
    context.init.parts.addSandbox?.(headers)
  }

  return headers
}

/** The headers of a page that the gateway makes. */
export function addPageSecurity (headers: Headers): Headers {
  headers.set('content-type', 'text/html; charset=utf-8')

  for (const [name, value] of Object.entries(PAGE_SECURITY)) {
    headers.set(name, value)
  }

  return headers
}

function addPage (headers: Headers, { ttl }: Pick<Resolved, 'ttl'>): void {
  headers.set('cache-control', ttl == null ? PAGE_CACHING : `public, max-age=${Math.min(PAGE_MAX_AGE, seconds(ttl))}`)
  addPageSecurity(headers)
}

/**
 * What a 304 leaves out: it is sent before the type is known, which the policy depends on. A cache keeps what it has
 * (RFC 9111, section 4.3.4).
 */
const OF_BODY = [
  'content-type', 'content-length', 'content-encoding', 'content-disposition', 'content-range',
  'content-security-policy'
]

/** The answer to `If-None-Match`: the headers that a cache updates, without those of a body. */
export function notModified (headers: Headers): Response {
  for (const name of OF_BODY) {
    headers.delete(name)
  }

  return new Response(null, { status: 304, headers })
}

/** A range that holds no byte of the file. */
export function rangeNotSatisfiable ({ request }: HeaderContext, size: number): Response {
  const headers = new Headers({ 'content-range': `bytes */${size}`, 'cache-control': 'no-store' })
  const text = `There are ${size} bytes\n`

  return new Response(request.method === 'HEAD' ? null : text, { status: 416, headers })
}

/** The answer to a preflight, and to any other `OPTIONS`. */
export function preflight (): Response {
  return new Response(null, { status: 204, headers: new Headers({ 'access-control-max-age': PREFLIGHT_AGE }) })
}

/** A time to live as a header has it. */
function seconds (ttl: number): number {
  return Math.max(Math.floor(ttl), 0)
}

function toHeaderValue (path: string): string {
  return /^[\x21-\x7e]*$/.test(path) ? path : encodeURI(path.toWellFormed())
}
