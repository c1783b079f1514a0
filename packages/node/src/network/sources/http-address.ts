import { isIP } from 'node:net'
import { PrivateAddressError } from '../../errors.ts'
import { isPublicAddress } from './public-address.ts'

/**
 * A multiaddr that ends with HTTP: `/https` or `/tls/http` with TLS, `/http` without. A peer id may follow, but neither
 * a path nor another protocol.
 */
const HTTP = /^\/(ip4|ip6|dns[46]?)\/([^/]+)\/tcp\/(\d{1,5})\/(https|(?:tls\/(?:sni\/([^/]+)\/)?)?http)(?:\/p2p\/\w+)?$/
const NAME = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*\.?$/i
/** Maximum number of characters of a multiaddr, and of a name (RFC 1035, section 2.3.4). */
const MAX_LENGTH = 512
const MAX_NAME_LENGTH = 253
/** The ports below this belong to services, two of them to HTTP. Others could take a request for one of their own. */
const SERVICE_PORTS = 1024
const HTTP_PORTS = [80, 443]

/**
 * The URL of an HTTP gateway that routing names with a multiaddr. What its name resolves to is not checked here.
 *
 * @returns undefined: the multiaddr is not one of an HTTP gateway
 */
export function httpUrl (address: string, allowLocal: boolean): URL | undefined {
  const [, protocol, host, port, transport, sni] = address.length > MAX_LENGTH ? [] : HTTP.exec(address) ?? []

  if (host == null || !isHost(protocol, host) || (sni != null && sni !== host)) {
    return undefined
  }

  const url = URL.parse(`${transport === 'http' ? 'http' : 'https'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`)

  if (url == null || Number(port) === 0) {
    return undefined
  }

  // a name of digits is an address for URLs
  const literal = hostOf(url)

  if (!allowLocal && isIP(literal) !== 0 && !isPublicAddress(literal)) {
    throw new PrivateAddressError(host, literal)
  }

  return allowLocal || Number(port) >= SERVICE_PORTS || HTTP_PORTS.includes(Number(port)) ? url : undefined
}

/** The host of a URL: an address of IPv6 without its brackets. */
export function hostOf ({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function isHost (protocol: string, host: string): boolean {
  return protocol.startsWith('ip') ? `ip${isIP(host)}` === protocol : host.length <= MAX_NAME_LENGTH && NAME.test(host)
}
