/** The methods that are answered. */
export const METHODS = 'GET, HEAD, OPTIONS'

/** What a page may send besides what needs no leave: of a reader of ranges, the file that it has read before. */
const ALLOWED = 'Content-Type, If-Match, If-None-Match, If-Range, Range, User-Agent, X-Requested-With'

/**
 * What a page may read besides what needs no leave (Fetch, "CORS-safelisted response-header name"): all that the
 * gateway sends and a reader goes by, and two names that other gateways send.
 */
const EXPOSED = 'Accept-Ranges, Content-Disposition, Content-Encoding, Content-Length, Content-Location, ' +
  'Content-Range, ETag, Retry-After, Vary, X-Cache, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Output'

/** The headers that let pages of every origin read what the gateway serves. */
const CORS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED,
  'access-control-expose-headers': EXPOSED
}

/** Let pages of every origin read a response, and why it was refused. */
export function addCors (headers: { set: (name: string, value: string) => unknown }): void {
  for (const [name, value] of Object.entries(CORS)) {
    headers.set(name, value)
  }
}
