import { unmark } from '@ipfsz/core'
import { base32 } from 'multiformats/bases/base32'
import { sha256 } from 'multiformats/hashes/sha2'
import { contentLocation } from '../request/format.ts'
import { contentDisposition } from './content-disposition.ts'
import type { ResponseContext } from './context.ts'
import type { Resolved } from '../resolve/resolved.ts'

/** The only caching that an immutable resource needs: a year (Path Gateway, `Cache-Control`). */
const IMMUTABLE = 'public, max-age=29030400, immutable'

/** What a response represents. */
export interface Representation {
  /** With its quotes, and `W/` if it is weak. */
  etag: string
  contentType: string
  /** What a browser does with it, and the name of the file that it would save. Undefined: it is a page. */
  disposition?: { type: 'inline' | 'attachment', filename: string } | undefined
}

/** What the headers depend on. */
export interface HeaderContext extends Pick<ResponseContext, 'request' | 'target' | 'format'> {
  resolved: Pick<Resolved, 'roots' | 'ttl'>
}

/**
 * The headers of a representation, but for those of its length (Path Gateway, Response Headers).
 * `?filename` and `?download` override its name and type.
 */
export function representationHeaders (
  { request, target, format, resolved }: HeaderContext,
  { etag, contentType, disposition }: Representation
): Headers {
  const { query, namespace, name, path, trailingSlash } = target
  const names = [namespace, name, ...path].map(encodeURIComponent)
  const headers = new Headers({
    'content-type': contentType,
    etag,
    'cache-control': resolved.ttl == null ? IMMUTABLE : `public, max-age=${Math.max(0, Math.floor(resolved.ttl))}`,
    'x-content-type-options': 'nosniff',
    'x-ipfs-path': `/${names.join('/')}${trailingSlash ? '/' : ''}`,
    'x-ipfs-roots': resolved.roots.map(String).join(',')
  })

  if (disposition != null) {
    const type = query.get('download') === 'true' ? 'attachment' : disposition.type
    headers.set('content-disposition', contentDisposition(type, query.get('filename') ?? disposition.filename))
  }

  if (!query.has('format')) {
    headers.set('vary', 'Accept')
  }

  const location = contentLocation(target, request, format)

  if (location != null) {
    headers.set('content-location', location)
  }

  return headers
}

/**
 * Whether the client has the representation: `If-None-Match` names its ETag, strong or weak
 * (RFC 9110, section 13.1.2).
 */
export function isNotModified (request: Request, etag: string): boolean {
  const header = request.headers.get('if-none-match')
  const opaque = etag.replace(/^W\//, '')

  const tags: readonly string[] = header?.match(/"[^"]*"/g) ?? []

  return header?.trim() === '*' || tags.includes(opaque)
}

/** The answer to a client that has the representation. */
export function notModified (headers: Headers): Response {
  for (const name of ['content-type', 'content-disposition', 'content-length']) {
    headers.delete(name)
  }

  return new Response(null, { status: 304, headers })
}

/** A short text that names what an ETag depends on besides a CID. */
export async function fingerprint (...values: unknown[]): Promise<string> {
  const { digest } = await sha256.digest(new TextEncoder().encode(JSON.stringify(values)))

  return base32.encode(digest.subarray(0, 15))
}

/** The names that lead from the first root to what the request names. */
export function namesOf ({ target, resolved }: Pick<ResponseContext, 'target' | 'resolved'>): readonly string[] {
  return resolved.names ?? target.path
}

/** The plain CID of what the request names, for the names of files. */
export function plainName ({ resolved }: Pick<ResponseContext, 'resolved'>): string {
  return unmark(resolved.cid).toString()
}
