import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All other addresses of IPv6 are reserved, or stand for one of IPv4 (RFC 4291, section 2.4). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Whether an IP address is one of the public internet: not of this machine, of a private network, or multicast. */
export function isPublicAddress (address: string): boolean {
  // ipaddr.js reads more than addresses, such as 0x7f.1
  if (isIP(address) === 0) {
    return false
  }

  const parsed = ipaddr.parse(address)

  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6))
}
