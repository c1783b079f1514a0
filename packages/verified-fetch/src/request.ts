import { base36 } from 'multiformats/bases/base36'
import type { PluginContext } from '@helia/verified-fetch'

/** There is no such server: a gateway takes what is asked for from the URL. */
export const HOST = 'verified-fetch.invalid'

/**
 * A request as a gateway gets it: for the origin of the CID, which has its own paths and `_redirects`.
 *
 * @param path - below the CID, percent-encoded, with a slash before each name
 */
export function requestOf (
  { url, headers: given, method = 'GET', signal, terminalElement: { cid } }: Pick<
    PluginContext,
    'url' | 'headers' | 'method' | 'signal' | 'terminalElement'
  >,
  path: string
): Request {
  const headers = new Headers(given)

  // nothing decompresses a response that was not sent over HTTP
  headers.delete('accept-encoding')

  return new Request(`http://${cid.toString(base36)}.ipfs.${HOST}${path}${url.search}`, {
    method,
    headers,
    signal: signal ?? null
  })
}
