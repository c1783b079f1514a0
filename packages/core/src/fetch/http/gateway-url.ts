import { InvalidGatewayUrlError } from './errors.ts'

/**
 * The base URL of a gateway, which ends with a slash: the paths `ipfs/CID` are below it.
 *
 * `http://localhost` becomes 127.0.0.1. Gateways answer requests for localhost with a redirect to a subdomain
 * (Subdomain Gateway), and many systems cannot resolve names such as `CID.ipfs.localhost`.
 *
 * @throws {InvalidGatewayUrlError} it is not a URL of http or https, or has a user name, a query or a fragment
 */
export function parseGatewayUrl (text: string): URL {
  const url = URL.parse(text)

  if (url == null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new InvalidGatewayUrlError(text, 'it must begin with http:// or https://')
  }

  if (url.username !== '' || url.password !== '') {
    // browsers and Node refuse to fetch such URLs
    throw new InvalidGatewayUrlError(url.host, 'it contains credentials')
  }

  if (url.search !== '' || url.hash !== '') {
    throw new InvalidGatewayUrlError(text, 'it contains a query or a fragment')
  }

  if (url.protocol === 'http:' && url.hostname === 'localhost') {
    url.hostname = '127.0.0.1'
  }

  if (!url.pathname.endsWith('/')) {
    url.pathname += '/'
  }

  return url
}
