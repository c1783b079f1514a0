import { MAX_KEY_LENGTH } from './constants.ts'
import { S3KeyError } from './errors.ts'

/** XML, in which keys are listed and deleted, has none of them. */
// oxlint-disable-next-line eslint/no-control-regex
const CONTROL = /[\u0000-\u001F\u007F\uFFFE\uFFFF]/

/** URLs drop `.` and `..`, and some servers empty segments. */
const CHANGED_SEGMENT = /(?:^|\/)(?:\.{0,2})(?:\/|$)/

/**
 * Check a key that objects are put and read by.
 *
 * @throws {S3KeyError}
 */
export function checkKey (key: string): void {
  if (key === '' || CHANGED_SEGMENT.test(key)) {
    throw new S3KeyError(`The key ${JSON.stringify(key)} is empty, or has a segment that is empty, . or ..`)
  }

  if (CONTROL.test(key) || !key.isWellFormed()) {
    throw new S3KeyError(`The key ${JSON.stringify(key)} has characters that listings do not support`)
  }

  if (Buffer.byteLength(key) > MAX_KEY_LENGTH) {
    throw new S3KeyError(`The key ${JSON.stringify(key.slice(0, 100))}... exceeds the limit of ${MAX_KEY_LENGTH} bytes`)
  }
}

/** Encode a key for the path of a URL, as signatures need it: RFC 3986, slashes stay. */
export function encodeKey (key: string): string {
  return key.split('/').map(encodeRfc3986).join('/')
}

/** `encodeURIComponent` leaves five characters alone that RFC 3986 reserves. */
export function encodeRfc3986 (text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The order of listings: that of the bytes of UTF-8, which is not that of JavaScript's strings. */
export function compareKeys (a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
