/**
 * The gateway that serves a page, to ask it for blocks: the host that a subdomain belongs to (specs.ipfs.tech/
 * http-gateways/subdomain-gateway), or the page's own host, which has a DNSLink.
 */
export function gatewayBase ({ protocol, host }: Pick<Location, 'protocol' | 'host'>): string {
  const [, parent] = /^[^.]+\.ip[fn]s\.(.+)$/.exec(host) ?? []

  return `${protocol}//${parent ?? host}/`
}
