// Room: pages: listings, documents, errors.
import { encodeName, escapeAttribute, showName } from './escape.ts'

export interface BreadcrumbsInit {
  /** `/ipfs/CID/a/b`, decoded names. The first two are the namespace and the root. */
  path: string[]
  /** `//localhost:8080` on a subdomain, where links to other CIDs lead to the path gateway; otherwise empty. */
  gatewayUrl: string
  /** The host, where it is itself the DNSLink name. */
  dnsLinkHost?: string
}

/** A path, each part of which is a link. */
export function breadcrumbs ({ path, gatewayUrl, dnsLinkHost }: BreadcrumbsInit): string {
  const [namespace, root, ...names] = path
  const start = dnsLinkHost == null ? `${gatewayUrl}/${namespace}/${encodeName(root)}` : `//${dnsLinkHost}`
  const links = [`<a href="${escapeAttribute(dnsLinkHost == null ? start : `${start}/`)}">${showName(root)}</a>`]
  let href = start

  for (const name of names) {
    href += `/${encodeName(name)}`
    links.push(`<a href="${escapeAttribute(href)}">${showName(name)}</a>`)
  }

  return `/${namespace}/${links.join('/')}`
}
