import { InvalidHostError } from '../errors.ts'

/** Where a request was sent, as the client sees it. */
export interface RequestHost {
  /** In lower case. */
  hostname: string
  /** With the port, if it has one. */
  host: string
  /** `:8080`, or empty. */
  port: string
  protocol: 'http' | 'https'
}

/** A subdomain of a gateway: `LABEL.ipfs.ORIGIN`. */
export interface Subdomain {
  namespace: 'ipfs' | 'ipns'
  /** In lower case. Several labels where a DNS name is not inlined. */
  label: string
  origin: string
}

/**
 * The host of a request, which is that of its URL: the server knows which headers of a proxy to believe.
 *
 * @throws {InvalidHostError} it has characters that no host name has
 */
export function readHost (
  { host, hostname, port, protocol }: Pick<URL, 'host' | 'hostname' | 'port' | 'protocol'>
): RequestHost {
  if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/.test(hostname)) {
    throw new InvalidHostError(host, 'it is not a host name')
  }

  const withoutDot = hostname.replace(/\.$/, '')
  const end = port === '' ? '' : `:${port}`

  return {
    hostname: withoutDot,
    host: `${withoutDot}${end}`,
    port: end,
    protocol: protocol === 'https:' ? 'https' : 'http'
  }
}

/** Whether a host is an IP address. A parser of URLs leaves no other name that ends in a number. */
export function isAddress ({ hostname }: RequestHost): boolean {
  return /^(?:\[.*\]|[\d.]+)$/.test(hostname)
}

/** Whether a host is in a list of host names, with or without ports. */
export function isListed ({ hostname, host }: RequestHost, hosts: readonly string[]): boolean {
  return hosts.some(listed => listed.toLowerCase() === host || listed.toLowerCase() === hostname)
}

/** What a host is among the hosts of a gateway: one of them, a subdomain of one, or none. */
export function findGateway (host: RequestHost, hosts: readonly string[]): { origin: string } | Subdomain | undefined {
  if (isListed(host, hosts)) {
    return { origin: host.host }
  }

  for (const listed of hosts.map(host => host.toLowerCase()).toSorted((a, b) => b.length - a.length)) {
    // a host that is listed with its port is meant with that port alone
    const text = listed.includes(':') ? host.host : host.hostname

    for (const namespace of ['ipfs', 'ipns'] as const) {
      const end = `.${namespace}.${listed}`

      if (text.endsWith(end) && text.length > end.length) {
        const origin = listed.includes(':') ? listed : `${listed}${host.port}`

        return { namespace, label: text.slice(0, -end.length), origin }
      }
    }
  }

  return undefined
}
