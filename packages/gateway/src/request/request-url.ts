import { InvalidHostError } from '../errors.ts'

/** The parts of a request's URL. `search` is as it was written, if a header can hold that. */
export type RequestUrl =
  Pick<URL, 'host' | 'hostname' | 'port' | 'protocol' | 'pathname' | 'searchParams' | 'search'>

/**
 * The URL of a request. A server passes hosts on that are no host of a URL, such as `1.2.3.4.5`.
 *
 * @throws {InvalidHostError}
 */
export function readUrl ({ url }: Request): RequestUrl {
  const parsed = URL.parse(url)

  if (parsed == null) {
    throw new InvalidHostError(url, 'the URL has no valid host')
  }

  const { host, hostname, port, protocol, pathname, searchParams } = parsed
  // the parser encodes characters that a header can hold
  const [search = ''] = /\?[^#]*/.exec(url) ?? []

  return {
    host,
    hostname,
    port,
    protocol,
    pathname,
    searchParams,
    search: /^[\x21-\x7e]*$/.test(search) ? search : parsed.search
  }
}
