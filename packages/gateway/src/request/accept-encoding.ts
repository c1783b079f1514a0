// Room: what a request asks for: path, subdomain, format, range, conditions.
import { parseAccepted } from './accept.ts'
import type { ContentCoding } from '../contract.ts'

/** The codecs whose frames browsers decode, and the names that `Content-Encoding` has for them. */
const CODINGS: Readonly<Record<string, ContentCoding>> = { brotli: 'br', gzip: 'gzip', zstd: 'zstd' }

/** An old name of gzip (RFC 9110, section 8.4.1.3). */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

/** The content coding of a codec, if HTTP has one. */
export function contentCoding (codec: string): ContentCoding | undefined {
  return Object.hasOwn(CODINGS, codec) ? CODINGS[codec] : undefined
}

/**
 * Whether a client takes a content coding (RFC 9110, section 12.5.3): it names the coding, and does
 * not prefer the bytes as they are. `*` is not enough: many clients that send it decode only gzip.
 */
export function acceptsCoding (headers: Headers, coding: ContentCoding | 'dcz'): boolean {
  // by preference
  const accepted = parseAccepted(headers.get('accept-encoding')).map(({ type }): string => ALIASES[type] ?? type)
  const place = accepted.indexOf(coding)
  const identity = accepted.indexOf('identity')

  return place !== -1 && (identity === -1 || place < identity)
}

/** The content codings that a client takes, of those that stored bytes can have. */
export function acceptedCodings (headers: Headers): ContentCoding[] {
  return Object.values(CODINGS).filter(coding => acceptsCoding(headers, coding))
}
