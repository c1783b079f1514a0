import { BlockList, isIP } from 'node:net'
import { InvalidProxyError } from '../errors.ts'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Proxies whose `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto` are believed: addresses, ranges as
 * in `10.0.0.0/8` and `fd00::/8`, and `loopback`.
 */
export type TrustedProxies = 'loopback' | readonly string[]

export type IsTrusted = (address: string) => boolean

/** What an address is found in. */
export interface ClientRequest {
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

const LOOPBACK = ['127.0.0.0/8', '::1']

/**
 * @throws {InvalidProxyError} one is neither an address, nor a range, nor `loopback`
 */
export function trustedProxies (proxies: TrustedProxies = []): IsTrusted {
  const list = new BlockList()

  for (const proxy of typeof proxies === 'string' ? [proxies] : proxies) {
    for (const range of proxy === 'loopback' ? LOOPBACK : [proxy]) {
      add(list, range)
    }
  }

  return text => {
    const address = plainAddress(text)
    const version = isIP(address)

    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * The address that a request comes from: that of the connection or, behind a trusted proxy, the last one that
 * the proxy forwards and that is not a trusted proxy itself. `-` if the connection is gone.
 */
export function clientAddress (
  { headers, socket: { remoteAddress = '-' } }: ClientRequest,
  isTrusted: IsTrusted
): string {
  const connected = plainAddress(remoteAddress)

  if (!isTrusted(connected)) {
    return connected
  }

  const forwarded = forwardedFor(headers)

  return forwarded.findLast(address => !isTrusted(address)) ?? forwarded[0] ?? connected
}

/** The trusted proxies that a request names, its connection first, for software that compares their texts. */
export function proxiesOf (
  { headers, socket: { remoteAddress = '-' } }: ClientRequest,
  isTrusted: IsTrusted
): string[] {
  return isTrusted(remoteAddress) ? [remoteAddress, ...forwardedFor(headers).filter(isTrusted)] : []
}

function forwardedFor (headers: ClientRequest['headers']): string[] {
  return String(headers['x-forwarded-for'] ?? '').split(',').map(text => text.trim()).filter(Boolean)
}

/** An IPv4 address of a server that listens on IPv6 is mapped: `::ffff:192.0.2.1`. */
function plainAddress (address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

function add (list: BlockList, range: string): void {
  const [, address, bits] = /^([^/]+)(?:\/(\d+))?$/.exec(range) ?? []
  const version = isIP(address ?? '')
  const family = version === 4 ? 'ipv4' : 'ipv6'

  if (version === 0 || Number(bits ?? 0) > (version === 4 ? 32 : 128)) {
    throw new InvalidProxyError(range)
  }

  if (bits == null) {
    list.addAddress(address, family)
  } else {
    list.addSubnet(address, Number(bits), family)
  }
}
