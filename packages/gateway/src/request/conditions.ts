import type { Target } from './target.ts'

/** The opaque tag of an entity tag (RFC 9110, section 8.8.3). */
const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g

/** The same, of a strong one. */
const STRONG_TAG = /(?<!W\/)"[\x21\x23-\x7e\x80-\xff]*"/g

/** Whether `If-None-Match` names an ETag, so that the answer is 304. Weak tags match too (RFC 9110, section 13.1.2). */
export function matchesEtag (ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch?.trim() === '*' || namesEtag(ifNoneMatch, etag)
}

/** Like `matchesEtag`, but `*` does not match: it needs to be known that there is a file. */
export function namesEtag (ifNoneMatch: string | null, etag: string): boolean {
  return [...(ifNoneMatch ?? '').matchAll(OPAQUE_TAG)].some(([tag]) => tag === etag.replace(/^W\//, ''))
}

/**
 * Whether `If-Match` names a response, or is absent (RFC 9110, section 13.1.1). Weak tags never match. The tag of a
 * coded response is that of the original bytes and its coding: of the same file, HEAD gives the first one alone.
 */
export function matchesIfMatch (ifMatch: string | null, etag: string, isCoded: boolean): boolean {
  if (ifMatch == null || ifMatch.trim() === '*') {
    return true
  }

  const named = [...ifMatch.matchAll(STRONG_TAG)].map(([tag]) => tag)
  const held = isCoded ? [etag, etag.replace(/^W\//, '').replace(/\..*"$/, '"')] : [etag]

  return held.some(tag => named.includes(tag))
}

/**
 * Whether a `Range` counts (RFC 9110, section 13.1.5): there is no `If-Range`, or it names the strong
 * ETag of what the range is a part of. A date never matches: files have none here.
 */
export function matchesIfRange (ifRange: string | null, etag: string): boolean {
  return ifRange == null || (ifRange.trim() === etag && !etag.startsWith('W/'))
}

/** Whether the client asks only for what needs no fetching. */
export function isOnlyIfCached (headers: Headers): boolean {
  return (headers.get('cache-control') ?? '').toLowerCase().split(',').some(name => name.trim() === 'only-if-cached')
}

/** Whether a browser asks for the script of a service worker (Service Workers, "Service-Worker"). */
export function isServiceWorker (headers: Headers): boolean {
  return headers.get('service-worker')?.trim() === 'script'
}

/**
 * Whether a page registers a service worker for more than one content root, which must be refused
 * (path gateway, section `Service-Worker`).
 */
export function isServiceWorkerForNamespace (headers: Headers, target: Target): boolean {
  return isServiceWorker(headers) &&
    target.origin == null && target.path.length === 0 && !target.trailingSlash
}
