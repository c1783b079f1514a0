import { BlockList, isIP } from 'node:net'
import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { UsageError } from '../errors.ts'
import type { NetworkInterfaceInfo } from 'node:os'

/** An address of this machine. */
export type InterfaceAddress = Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>

/** Where a server listens. */
export interface ListenAddress {
  /** An IP address or host name. */
  host: string
  /** 0 for a free one. */
  port: number
}

const MAX_PORT = 65_535

/** The longest host name, in characters, and one of the labels that dots separate (RFC 1123, section 2.1). */
const MAX_HOST_LENGTH = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/**
 * Parse `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
 *
 * @throws {UsageError} it is not such an address
 */
export function parseListenAddress (text: string): ListenAddress {
  const [, v6, name, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/\s]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = v6 ?? name

  if (host == null || Number(port) > MAX_PORT || (v6 != null && isIP(v6) !== 6)) {
    throw new UsageError(
      `"${hideSecrets(text)}" is not an address to listen on: use a host and a port, as in 127.0.0.1:8080`
    )
  }

  return { host, port: Number(port) }
}

/** Check the name of a host that is to have subdomains, such as `gateway.example.com` or `gateway.example.com:8443`. */
export function checkHostName (text: string): void {
  const [, host, port = '0'] = /^([^:]+)(?::(\d{1,5}))?$/.exec(text) ?? ['', '']
  const isName = host.length <= MAX_HOST_LENGTH && host.split('.').every(label => LABEL.test(label))

  if (!isName || isIP(host) !== 0 || Number(port) > MAX_PORT) {
    throw new UsageError(
      `"${hideSecrets(text)}" is not a host name. Example: gateway.example.com`,
      { problem: 'no-host-name' }
    )
  }
}

/** Whether only programs on this machine can connect. Of a host name other than `localhost`, nobody can tell. */
export function isLoopback ({ host }: ListenAddress): boolean {
  switch (isIP(host)) {
    case 4:
      return loopback.check(host)
    case 6:
      // also knows IPv4 addresses that are mapped into IPv6
      return loopback.check(host, 'ipv6')
    default:
      return host.toLowerCase() === 'localhost'
  }
}

/** Refuse to let other machines in, unless that is wanted. */
export function checkReach (address: ListenAddress, allowed: boolean): void {
  if (!allowed && !isLoopback(address)) {
    throw new UsageError(
      `${formatAddress(address)} allows other machines to connect: allow that, or listen on 127.0.0.1 and put a ` +
        'reverse proxy in front'
    )
  }
}

/** As it was parsed: an IPv6 address is in brackets. */
export function formatAddress ({ host, port }: ListenAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
}

/** The URL by which this machine reaches a server. One that listens on all addresses is on loopback too. */
export function urlOf ({ host, port }: ListenAddress): string {
  const loopback = isIP(host) === 4 ? '127.0.0.1' : '::1'

  return `http://${formatAddress({ host: isUnspecified(host) ? loopback : host, port })}`
}

/**
 * The URLs by which other machines may reach a server: those of the networks that this one is in, IPv4 before IPv6.
 * Empty if only this machine can connect. A firewall may still block connections, which cannot be detected here.
 *
 * @param interfaces - as `networkInterfaces` of node:os returns them
 */
export function otherUrls (
  { host, port }: ListenAddress,
  interfaces: Readonly<Record<string, readonly InterfaceAddress[] | undefined>>
): string[] {
  if (isLoopback({ host, port })) {
    return []
  }

  if (!isUnspecified(host)) {
    return [urlOf({ host, port })]
  }

  return Object.values(interfaces).flatMap(addresses => addresses ?? [])
    // a link-local address of IPv6 needs the name of an interface, which no URL takes
    .filter(({ internal, family, address }) => !internal && !(family === 'IPv6' && /^fe[89ab]/i.test(address)))
    .filter(({ family }) => family === 'IPv4' || isIP(host) === 6)
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => urlOf({ host: address, port }))
}

/** Whether this machine reaches a server by the name `localhost`, and by every name below it (RFC 6761). */
export function isLocalhost ({ host }: ListenAddress): boolean {
  return isUnspecified(host) || ['127.0.0.1', '::1', 'localhost'].includes(host.toLowerCase())
}

/** Whether the address stands for all addresses of the machine. */
function isUnspecified (host: string): boolean {
  return host === '0.0.0.0' || (isIP(host) === 6 && /^[0:]+$/.test(host))
}
