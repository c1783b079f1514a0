/** What one client has for itself: an address of IPv4, or the 64 bits that a network of IPv6 begins with. */
export function clientOf (address: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]

  if (v4 != null || !address.includes(':')) {
    return v4 ?? address
  }

  const [head, tail] = address.split('%', 1)[0].split('::')
  const groups = head.split(':').filter(group => group !== '')
  const after = (tail ?? '').split(':').filter(group => group !== '')
  const zeros = tail == null ? 0 : Math.max(8 - groups.length - after.length, 0)
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after]

  return all.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16)).join(':')
}

/** The address of the client. Servers that are made with srvx know it: behind a trusted proxy, it is what that says. */
export function addressOf (request: Request): string {
  return (request as Request & { ip?: string }).ip ?? ''
}
