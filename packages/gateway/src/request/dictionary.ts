import { CID } from 'multiformats/cid'
import { isAddress, readHost } from './host.ts'
import { readUrl } from './request-url.ts'
import type { Target } from './target.ts'
import type { RequestHost } from './host.ts'

/** The SHA-256 of the dictionary that a client has, in base64, as a structured field (RFC 9842, section 2.2). */
export function availableDictionary (headers: Headers): string | undefined {
  const [, digest] = /^\s*:([A-Za-z0-9+/]{43}=):\s*$/.exec(headers.get('available-dictionary') ?? '') ?? []

  return digest
}

/** The CID by which the gateway offered the dictionary that a client has (RFC 9842, section 2.3), if it is one. */
export function dictionaryId (headers: Headers): CID | undefined {
  const [, text] = /^\s*"([A-Za-z0-9]{1,128})"\s*$/.exec(headers.get('dictionary-id') ?? '') ?? []

  try {
    return text == null ? undefined : CID.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Whether responses of an address may be dictionaries, or be compressed with one (RFC 9842):
 * - the next release comes to the same origin, and only that: a name, not a CID or a gateway's paths;
 * - in a secure context alone, because proxies may not know it (section 8).
 */
export function hasDictionaries (request: Request, { namespace, origin, dnsLinkHost }: Target): boolean {
  const isNamed = dnsLinkHost != null || (origin != null && namespace === 'ipns')

  return isNamed && isSecure(readHost(readUrl(request)))
}

/**
 * Whether a client may have them:
 * - it is no page of another origin which could only see how large the response is (section 9.3.3);
 * - nothing that is meant for one user is compressed together with what is public (section 9.2). What a gateway serves
 *   is public, but a proxy in front may restrict it, or the site may know its visitors.
 */
export function mayUseDictionaries ({ headers }: Request): boolean {
  return isReadable(headers) && !headers.has('authorization') && !headers.has('cookie')
}

/** What `mayUseDictionaries` depends on, for `Vary`. */
export const DICTIONARY_CONDITIONS = 'Authorization, Cookie, Origin, Sec-Fetch-Mode, Sec-Fetch-Site'

/** As browsers have it (Secure Contexts, section 3.1): https, and loopback. */
function isSecure (host: RequestHost): boolean {
  const { protocol, hostname } = host

  return protocol === 'https' || /(?:^|\.)localhost$/.test(hostname) ||
    (isAddress(host) && /^(?:127\.|\[::1\]$)/.test(hostname))
}

/** The algorithm of RFC 9842, section 9.3.3, for responses that every origin may read. */
function isReadable (headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  const mode = headers.get('sec-fetch-mode')

  return site == null || site === 'same-origin' || mode == null || mode === 'navigate' || mode === 'same-origin' ||
    (mode === 'cors' && headers.has('origin'))
}
