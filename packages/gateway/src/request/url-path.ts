import { InvalidPathError } from '../errors.ts'
import type { RequestUrl } from './request-url.ts'

/** Maximum names of a path. Each of them costs a block and an entry of `X-Ipfs-Roots`. */
export const MAX_PATH_NAMES = 256

/** Replace repeated slashes by one, so that no path begins like the host of another origin. */
export function collapsePath (path: string): string {
  return path.replaceAll(/\/{2,}/g, '/')
}

/**
 * Decode the names of a path.
 *
 * @param url - the whole path, for the error
 * @throws {InvalidPathError} there are too many, or one is not percent-encoded UTF-8 or contains a slash
 */
export function decodePath (path: string, url: string): string[] {
  const names = path.split('/').filter(Boolean)

  if (names.length > MAX_PATH_NAMES) {
    throw new InvalidPathError(url, `it has more than ${MAX_PATH_NAMES} names`)
  }

  return names.map(name => {
    const decoded = decodeName(name, url)

    if (decoded.includes('/')) {
      throw new InvalidPathError(url, 'a name contains an escaped slash')
    }

    return decoded
  })
}

function decodeName (name: string, url: string): string {
  try {
    return decodeURIComponent(name)
  } catch (cause) {
    throw new InvalidPathError(url, 'a name is not percent-encoded UTF-8', { cause })
  }
}

/** Encode a name for a path: what RFC 3986, section 3.3 calls `pchar` stays as it is. */
export function encodeName (name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(/%(?:2[46BC]|3[ABD]|40)/g, decodeURIComponent)
}

/**
 * The content path of `/ipfs/?uri=ipfs://CID/path`, which browsers ask for where a page registered
 * the gateway for `ipfs:` or `ipns:` (specs.ipfs.tech/http-gateways/subdomain-gateway, "URI router").
 *
 * @throws {InvalidPathError} the URI is of another kind
 */
export function routeUri (
  url: Pick<RequestUrl, 'pathname' | 'searchParams'>,
  isCid: (name: string) => boolean,
  isName: (name: string) => boolean
): string | undefined {
  const uri = /^\/ip[fn]s\/?$/.test(url.pathname) ? url.searchParams.get('uri') : null

  if (uri == null) {
    return undefined
  }

  const [, scheme, name, rest] = /^(ipfs|ipns):\/\/([^/?#]+)([^]*)$/i.exec(uri) ?? []
  const namespace = scheme?.toLowerCase()

  if (name == null || !(namespace === 'ipfs' ? isCid(name) : isName(name))) {
    throw new InvalidPathError(`${url.pathname}?uri=${uri}`, 'it is not a URI such as ipfs://CID/path or ipns://NAME/path')
  }

  // the parser resolves dots and encodes what a header cannot hold
  const { pathname, search } = new URL(`http://localhost${/^[/?#]/.test(rest) ? '' : '/'}${rest}`)
  const path = pathname === '/' && !rest.startsWith('/') ? '' : collapsePath(pathname)

  return `/${namespace}/${name}${path}${search}`
}
