import { encodeExtended } from 'content-disposition'
import type { ResponseContext } from './context.ts'
import type { ByteRange } from '../request/range.ts'
import type { CID } from 'multiformats/cid'

/** How long what never changes may be cached (path gateway, section `Cache-Control`). */
const IMMUTABLE = 'public, max-age=29030400, immutable'

/** The headers that let pages of every origin read what the gateway serves. */
const CORS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Range, User-Agent, X-Requested-With',
  'access-control-expose-headers': 'Content-Encoding, Content-Length, Content-Range, ETag, X-Cache, ' +
    'X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Output'
}

/** How long browsers may remember the answer to a preflight, in seconds. */
const PREFLIGHT_AGE = '86400'

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
  /** Whether browsers must take the type as it is: for all that is not a page or a part of one. */
  nosniff?: boolean | undefined
}

export function addCors (headers: Headers): Headers {
  for (const [name, value] of Object.entries(CORS)) {
    headers.set(name, value)
  }

  return headers
}

/** The headers of every response to a path that leads somewhere: CORS, caching, what the path led to. */
export function pathHeaders (context: ResponseContext): Headers {
  const { target, resolved, explicit } = context
  const headers = addCors(new Headers())
  const { ttl } = resolved

  headers.set('cache-control', ttl == null ? IMMUTABLE : `public, max-age=${Math.max(Math.floor(ttl), 0)}`)
  headers.set('x-ipfs-path', toHeaderValue(`/${target.namespace}/${target.name}${target.rawPath}`))
  headers.set('x-ipfs-roots', resolved.roots.join(','))

  if (!target.query.has('format')) {
    // the same URL has other formats too
    headers.append('vary', 'Accept')

    if (explicit && context.format !== 'file') {
      headers.set('content-location', contentLocation(context))
    }
  }

  return headers
}

/** `pathHeaders`, and those that describe a body. */
export function contentHeaders (context: ResponseContext, init: ContentHeadersInit): Headers {
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
  set('accept-ranges', init.ranges == null ? undefined : init.ranges ? 'bytes' : 'none')
  set('x-content-type-options', init.nosniff === true ? 'nosniff' : undefined)

  if (init.range != null) {
    const { range: { start, end }, size } = init.range
    set('content-range', `bytes ${start}-${end - 1}/${size}`)
  }

  if (init.variesByEncoding === true) {
    headers.append('vary', 'Accept-Encoding')
  }

  return headers
}

/** The answer to `If-None-Match`: the headers that a cache updates, without those of a body. */
export function notModified (headers: Headers): Response {
  for (const name of ['content-type', 'content-length', 'content-encoding', 'content-disposition', 'content-range']) {
    headers.delete(name)
  }

  return new Response(null, { status: 304, headers })
}

/** A range that holds no byte of the file. */
export function rangeNotSatisfiable (context: ResponseContext, size: number): Response {
  const headers = addCors(new Headers({ 'content-range': `bytes */${size}`, 'cache-control': 'no-store' }))

  const text = `There are ${size} bytes\n`

  return new Response(context.request.method === 'HEAD' ? null : text, { status: 416, headers })
}

/** The answer to a preflight, and to any other `OPTIONS`. */
export function preflight (): Response {
  return new Response(null, { status: 204, headers: addCors(new Headers({ 'access-control-max-age': PREFLIGHT_AGE })) })
}

/**
 * A strong ETag: the CID, and what else the bytes depend on, such as `raw` or `zstd`. A part of a file
 * has the ETag of the whole (RFC 9110, section 15.3.7), or `If-Range` would never match.
 */
export function etagOf (cid: CID, ...variant: Array<string | undefined>): string {
  return `"${[cid.toString(), ...variant.filter(part => part != null)].join('.')}"`
}

/**
 * `Content-Disposition` with the filename of the URL, or with `fallback`. Undefined if the URL asks for
 * nothing and `type` is not given.
 *
 * The filename is always quoted, which `create` of content-disposition does not do.
 */
export function contentDisposition (
  { query }: ResponseContext['target'],
  { type, fallback }: { type?: 'attachment', fallback?: string | undefined } = {}
): string | undefined {
  const filename = query.get('filename')
  const disposition = type ?? (query.get('download') === 'true' ? 'attachment' : 'inline')

  if (disposition === 'inline' && (filename == null || filename === '')) {
    return undefined
  }

  const name = (filename == null || filename === '' ? fallback ?? '' : filename).toWellFormed()

  if (name === '') {
    return disposition
  }

  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\]/g, '\\$&')
  const isAscii = /^[\x20-\x7e]*$/.test(name)

  return `${disposition}; filename="${ascii}"${isAscii ? '' : `; filename*=${encodeExtended(name)}`}`
}

/** The URL that names the format too, so that caches can tell the formats apart. */
function contentLocation ({ target, format, request }: ResponseContext): string {
  const { pathname } = new URL(request.url)
  const query = new URLSearchParams(target.query)
  query.set('format', format)

  return toHeaderValue(`${pathname}?${query}`)
}

function toHeaderValue (path: string): string {
  return /^[\x21-\x7e]*$/.test(path) ? path : encodeURI(path.toWellFormed())
}
