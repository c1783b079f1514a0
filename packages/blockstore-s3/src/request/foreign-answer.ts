import { TransportFailure } from './transport.ts'
import type { S3Request } from './attempt.ts'
import type { Answer } from './transport.ts'

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i
/** The entity tag of an object: an MD5, and behind it the number of its parts if it has several. */
const ETAG = /^"[\da-f]{32}(?:-\d+)?"$/i

/**
 * Refuse an answer that no store has given: on its way, a network may answer with its login page, and a proxy with a
 * page of its own. One that says "200 OK" to a PUT would acknowledge what nobody has stored.
 *
 * @throws {TransportFailure}
 */
export function checkIsFromStore ({ method, key }: Pick<S3Request, 'method' | 'key'>, answer: Answer): void {
  const { status, headers } = answer
  const isOfS3 = ETAG.test(headers.etag ?? '') || Object.keys(headers).some(name => name.startsWith('x-amz-'))
  const isPage = HTML.test(headers['content-type'] ?? '') && !isOfS3

  // a store behind a proxy may be away for a moment, and 404 to HEAD has no body whose type would count
  if (isPage && status !== 404 && (status < 500 || status === 511)) {
    throw new TransportFailure('response', false, `it answered ${status} with a web page, so it is not a store. ` +
      'A proxy or the login page of the network may be in between')
  }

  if (method === 'PUT' && key != null && status >= 200 && status < 300 && headers.etag == null) {
    throw new TransportFailure('response', false, `it answered ${status} without an ETag, so it is not a store. ` +
      'A proxy or the login page of the network may be in between')
  }
}
