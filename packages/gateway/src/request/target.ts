import { InvalidHostError, InvalidPathError, LabelTooLongError, NotContentPathError } from '../errors.ts'
import { dnsLabel, inlineName, isDnsName, keyLabel, parseCid, parseKey, restoreName } from './content-root.ts'
import { findGateway, isAddress, isListed, readHost } from './host.ts'
import { readUrl } from './request-url.ts'
import { collapsePath, decodePath, routeUri } from './url-path.ts'
import type { GatewayInit } from '../contract.ts'
import type { RequestHost, Subdomain } from './host.ts'
import type { RequestUrl } from './request-url.ts'

/**
 * Hosts whose subdomains are origins of their own. Browsers and resolvers know that every name
 * below `localhost` is this machine (RFC 6761, section 6.3).
 */
export const DEFAULT_SUBDOMAIN_HOSTS: readonly string[] = ['localhost']

/** What the URL and the host of a request name. */
export interface Target {
  namespace: 'ipfs' | 'ipns'
  /** The CID, IPNS key or DNS name, as it was written. */
  name: string
  /** Decoded names below it. */
  path: string[]
  trailingSlash: boolean
  /**
   * The path as it was written, below `/ipfs/NAME`, for redirects: empty, or one slash and then
   * something else, so that it never begins another host.
   */
  rawPath: string
  /** The host that an origin of its own stands below, such as `localhost:8080` of `bafy....ipfs.localhost:8080`. */
  origin?: string
  /** The host, with its port, where it is itself the DNSLink name: specs.ipfs.tech/http-gateways/dnslink-gateway. */
  dnsLinkHost?: string
  /** Whether the host is one of `trustlessHosts`. */
  trustless?: true
  /**
   * Whether the path is below a host name that is no gateway of `init`. A site may live at that name, by DNSLink or
   * behind a proxy, and would share its origin with whatever strangers publish.
   */
  onForeignHost?: true
  query: URLSearchParams
  /** The query as it was written, with its question mark, or empty. A URL that is made of another keeps it so. */
  search: string
}

interface ContentPath extends Target {
  /** The label of the root on a subdomain. Throws if there is none. */
  label (): string
  /** The name that caches and origins know it by, if it was written in another way. */
  canonical?: string
}

/**
 * Read what a request asks for, by path (specs.ipfs.tech/http-gateways/path-gateway), subdomain
 * (subdomain-gateway) or DNSLink host (dnslink-gateway). A response is a redirect to the
 * canonical URL, which is always on this gateway: a path, or a subdomain of a host of `init`.
 *
 * @throws {InvalidPathError} the root is not a CID or name, or a name is not percent-encoded correctly
 * @throws {InvalidHostError}
 * @throws {LabelTooLongError} the root has no origin of its own
 * @throws {NotContentPathError} the path is outside of `/ipfs` and `/ipns`
 */
export function parseTarget (request: Request, init: GatewayInit): Target | Response {
  const url = readUrl(request)
  const host = readHost(url)
  const { subdomainHosts = DEFAULT_SUBDOMAIN_HOSTS, trustlessHosts = [] } = init

  if (isListed(host, trustlessHosts)) {
    const { label: _, canonical: __, ...target } = parseContentPath(url)

    return { ...target, trustless: true }
  }

  const gateway = findGateway(host, subdomainHosts)

  if (gateway != null && 'label' in gateway) {
    return parseSubdomain(gateway, host, url)
  }

  const routed = routeUri(url, name => parseCid(name) != null, isName)

  if (routed != null) {
    return redirect(301, routed)
  }

  if (gateway == null && isDnsName(host.hostname) && !hasContentRoot(url)) {
    return { namespace: 'ipns', name: host.hostname, ...pathBelow(url.pathname, url), dnsLinkHost: host.host }
  }

  const { label, canonical, ...target } = parseContentPath(url)

  if (gateway != null) {
    const origin = `${host.protocol}://${label()}.${target.namespace}.${gateway.origin}`

    return redirect(301, `${origin}${target.rawPath === '' ? '/' : target.rawPath}${target.search}`, true)
  }

  if (request.headers.get('service-worker') === 'script' && target.rawPath === '') {
    // without the slash, the scope of the worker would be the whole namespace
    throw new InvalidPathError(url.pathname, 'a service worker can only be registered below a root')
  }

  return canonical == null
    ? { ...target, ...isAddress(host) ? {} : { onForeignHost: true } }
    : redirect(302, `/${target.namespace}/${canonical}${target.rawPath}${target.search}`)
}

/** A redirect that an absolute location makes depend on headers of a proxy. */
function redirect (status: number, location: string, absolute = false): Response {
  return new Response(null, {
    status,
    headers: { location, ...absolute ? { vary: 'X-Forwarded-Host, X-Forwarded-Proto' } : {} }
  })
}

function pathBelow (
  rawPath: string,
  url: RequestUrl
): Pick<Target, 'path' | 'trailingSlash' | 'rawPath' | 'query' | 'search'> {
  const collapsed = collapsePath(rawPath)

  return {
    path: decodePath(collapsed, url.pathname),
    trailingSlash: collapsed.endsWith('/'),
    rawPath: collapsed,
    query: url.searchParams,
    search: url.search
  }
}

function splitContentPath ({ pathname }: RequestUrl): Pick<Target, 'namespace' | 'name' | 'rawPath'> | undefined {
  const [, namespace, name, rawPath = ''] = /^\/(ipfs|ipns)\/([^/]+)(\/.*)?$/.exec(pathname) ?? []

  return name == null ? undefined : { namespace: namespace as 'ipfs' | 'ipns', name, rawPath }
}

function parseContentPath (url: RequestUrl): ContentPath {
  const parts = splitContentPath(url)

  if (parts == null) {
    throw /^\/ip[fn]s\/?$/.test(url.pathname)
      ? new InvalidPathError(url.pathname, 'it has no CID or name')
      : new NotContentPathError(url.pathname)
  }

  const { namespace, name, rawPath } = parts
  const target = { namespace, name, ...pathBelow(rawPath, url) }

  if (namespace === 'ipfs') {
    const cid = parseCid(name)

    if (cid == null) {
      throw new InvalidPathError(url.pathname, 'its root is not a CID')
    }

    return { ...target, label: () => labelOrThrow(dnsLabel(cid), 'CID', name) }
  }

  const key = parseKey(name)

  if (key != null) {
    const canonical = keyLabel(key)

    return {
      ...target,
      label: () => labelOrThrow(canonical, 'CID', name),
      ...canonical == null || canonical === name ? {} : { canonical }
    }
  }

  if (!isDnsName(name)) {
    throw new InvalidPathError(url.pathname, 'its root is neither an IPNS key nor a DNS name')
  }

  return { ...target, label: () => labelOrThrow(inlineName(name), 'DNSLink name', name) }
}

function labelOrThrow (label: string | undefined, what: 'CID' | 'DNSLink name', root: string): string {
  if (label == null) {
    throw new LabelTooLongError(what, root)
  }

  return label
}

function hasContentRoot (url: RequestUrl): boolean {
  const { namespace, name } = splitContentPath(url) ?? {}

  return name != null && (namespace === 'ipfs' ? parseCid(name) != null : isName(name))
}

function isName (name: string): boolean {
  return parseKey(name) != null || isDnsName(name)
}

function parseSubdomain (
  { label, namespace, origin }: Subdomain,
  host: RequestHost,
  url: RequestUrl
): Target | Response {
  const { name, canonical } = namespace === 'ipfs' ? cidOfLabel(label, host) : nameOfLabel(label, host)
  const target = { namespace, name, ...pathBelow(url.pathname, url), origin }

  return canonical === label
    ? target
    : redirect(301, `${host.protocol}://${canonical}.${namespace}.${origin}${target.rawPath}${target.search}`, true)
}

/** The root that a label stands for, and the label that it should have. */
interface Root {
  name: string
  canonical: string
}

function cidOfLabel (label: string, { host }: RequestHost): Root {
  const cid = parseCid(label)

  if (cid == null) {
    throw new InvalidHostError(host, 'its first label is not a CID')
  }

  const canonical = labelOrThrow(dnsLabel(cid), 'CID', label)

  return { name: canonical, canonical }
}

function nameOfLabel (label: string, { host, protocol }: RequestHost): Root {
  const key = label.includes('.') ? undefined : parseKey(label)

  if (key != null) {
    const canonical = labelOrThrow(keyLabel(key), 'CID', label)

    return { name: canonical, canonical }
  }

  const name = label.includes('.') ? label : restoreName(label)

  if (!isDnsName(name)) {
    throw new InvalidHostError(host, 'its first label is neither an IPNS key nor a DNSLink name')
  }

  // a wildcard certificate covers one label
  const canonical = protocol === 'https' ? labelOrThrow(inlineName(name), 'DNSLink name', name) : label

  return { name, canonical }
}
