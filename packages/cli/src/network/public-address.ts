import { BlockList, isIP } from 'node:net'

/** What the IANA registries of special-purpose addresses do not list as globally reachable, and multicast. */
const SPECIAL = new BlockList()
/** All other addresses of IPv6 are reserved, or stand for one of IPv4 (RFC 4291). */
const GLOBAL_IPV6 = new BlockList()

for (const [network, prefix] of [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15],
  ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4]
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv4')
}

for (const [network, prefix] of [['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20]] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv6')
}

GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address is one of the public internet: not of this machine, nor of a private network. */
export function isPublicAddress (address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL.check(address, 'ipv4')
    case 6:
      return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6')
    default:
      return false
  }
}
