import { DEFAULT_SUBDOMAIN_HOSTS } from './target.ts'
import { isDnsName, LIBP2P_KEY, parseCid, parseKey } from './content-root.ts'
import { findGateway, isListed, readHost } from './host.ts'
import type { GatewayInit } from '../contract.ts'

/** A request for the first page of a gateway, which has a field for a CID. */
export interface Start {
  /** What was entered there. */
  entered: string | undefined
  /** Where the form may lead, as a source of the content security policy: browsers also check redirects of a form. */
  targets: string[]
}

/** What people enter: a path, an `ipfs://` URL, or the URL of a gateway, each with or without what leads to the CID. */
const ENTERED = /^(?:https?:\/\/[^/]+(?=\/))?\/?(?:(ipfs|ipns)(?::\/\/|\/))?([^/]+)(\/.*)?$/s

/**
 * Whether a request is for the first page: `/` of the gateway itself. That of a site, on a subdomain or on the host of
 * a DNSLink, is the site's.
 *
 * @returns undefined: it is not
 */
export function readStart (request: Request, init: GatewayInit): Start | undefined {
  const url = URL.parse(request.url)

  if (url?.pathname !== '/') {
    return undefined
  }

  const host = readHost(url)
  const { subdomainHosts = DEFAULT_SUBDOMAIN_HOSTS, trustlessHosts = [] } = init
  const gateway = findGateway(host, subdomainHosts)
  const isSite = gateway == null ? isDnsName(host.hostname) : 'label' in gateway

  if (isSite || isListed(host, trustlessHosts)) {
    return undefined
  }

  return {
    entered: url.searchParams.get('cid')?.trim(),
    targets: gateway == null
      ? []
      : ['ipfs', 'ipns'].map(namespace => `${host.protocol}://*.${namespace}.${gateway.origin}`)
  }
}

/**
 * The path that an entered text leads to, on this gateway.
 *
 * @returns undefined: it names no CID, no key and no DNS name
 */
export function pathOf (entered: string): string | undefined {
  const isUrl = /^[a-z]+:\/\//.test(entered)
  const [text] = isUrl ? entered.split(/[?#]/) : [entered]
  const [, namespace, name, below = ''] = ENTERED.exec(text) ?? []

  if (name == null) {
    return undefined
  }

  // the parser encodes what a header cannot hold
  const rest = isUrl && below !== ''
    ? new URL(`http://localhost${below}`).pathname
    : below.split('/').map(part => encodeURIComponent(part.toWellFormed())).join('/')

  const cid = parseCid(name)

  // a key is a CID too
  if (cid != null && (namespace ?? (cid.code === LIBP2P_KEY ? 'ipns' : 'ipfs')) === 'ipfs') {
    return `/ipfs/${name}${rest}`
  }

  if (namespace === 'ipfs') {
    return undefined
  }

  return parseKey(name) != null || isDnsName(name) ? `/ipns/${name}${rest}` : undefined
}
