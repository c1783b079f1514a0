import { isMarked, unmark } from '@ipfsz/core/reader'
import { acceptedCodings } from '../request/accept-encoding.ts'
import { namesEtag } from '../request/conditions.ts'
import { compressedEtagOf, etagOf } from './etag.ts'
import { contentHeaders, notModified } from './headers.ts'
import type { ResponseContext } from './context.ts'

/**
 * 304, if it follows from the request and the CID alone that the client holds what the gateway would send: a
 * block or file of a CID never changes. Not for a file of a name, which may be sent as a difference to another one.
 */
export function respondUnchanged (context: ResponseContext): Response | undefined {
  const { request, format, resolved: { cid, ttl }, components: { blocks }, init: { compressor } } = context
  const ifNoneMatch = request.headers.get('if-none-match')

  if (ifNoneMatch == null || !(format === 'raw' || (format === 'file' && ttl == null))) {
    return undefined
  }

  const named = format === 'raw' ? unmark(cid) : cid
  const variant = format === 'raw' ? 'raw' : undefined
  const codings = acceptedCodings(request.headers)
  const etag = [
    ...[undefined, ...codings].map(coding => etagOf(named, variant, coding)),
    ...codings.map(coding => compressedEtagOf(named, coding, variant))
  ].find(etag => namesEtag(ifNoneMatch, etag))
  const variesByEncoding = format === 'raw' ? (blocks.getStored ?? compressor) != null : isMarked(cid)

  return etag == null ? undefined : notModified(contentHeaders(context, { etag, variesByEncoding }))
}
