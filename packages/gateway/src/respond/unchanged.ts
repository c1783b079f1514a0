import { isMarked, unmark } from '@ipfsz/core'
import { acceptedCodings } from '../request/accept-encoding.ts'
import { namesEtag } from '../request/conditions.ts'
import { etagOf } from './etag.ts'
import { contentHeaders, notModified } from './headers.ts'
import type { ResponseContext } from './context.ts'

/**
 * 304, if it follows from the request alone that the client holds what the gateway would send: a block or
 * file of a CID never changes. Only for a root, without a path below it.
 */
export function respondUnchanged (context: ResponseContext): Response | undefined {
  const { request, format, resolved: { cid }, components: { blocks } } = context
  const ifNoneMatch = request.headers.get('if-none-match')

  if (ifNoneMatch == null || (format !== 'raw' && format !== 'file')) {
    return undefined
  }

  const named = format === 'raw' ? unmark(cid) : cid
  const variant = format === 'raw' ? 'raw' : undefined
  const etag = [undefined, ...acceptedCodings(request.headers)].map(coding => etagOf(named, variant, coding))
    .find(etag => namesEtag(ifNoneMatch, etag))
  const variesByEncoding = format === 'raw' ? blocks.getStored != null : isMarked(cid)

  return etag == null ? undefined : notModified(contentHeaders(context, { etag, variesByEncoding }))
}
