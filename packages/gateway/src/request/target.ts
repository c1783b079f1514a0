import { GatewayError } from '../errors.ts'
import type { GatewayInit } from '../contract.ts'

/** What the URL and the host of a request name. */
export interface Target {
  namespace: 'ipfs' | 'ipns'
  /** The CID, IPNS key or DNS name, as it was written. */
  name: string
  /** Decoded names below it. */
  path: string[]
  /** Whether the path ends in a slash. */
  trailingSlash: boolean
  /** The path as it was written, below `/ipfs/NAME`, for redirects. */
  rawPath: string
  /** The host that an origin of its own stands below, such as `localhost:8080` of `bafy....ipfs.localhost:8080`. */
  origin?: string
  query: URLSearchParams
}

/** Stands in for the parser of URLs and hosts: knows `/ipfs/CID/path` alone. */
export function parseTarget (request: Request, _init: GatewayInit): Target | Response {
  const url = new URL(request.url)
  const [, namespace, name, rawPath] = /^\/(ipfs|ipns)\/([^/]+)(.*)$/.exec(url.pathname) ?? []

  if (name == null) {
    throw new GatewayError(404, 'A path begins with /ipfs/CID or /ipns/NAME')
  }

  return {
    namespace: namespace as 'ipfs' | 'ipns',
    name,
    path: rawPath.split('/').filter(part => part !== '').map(decodeURIComponent),
    trailingSlash: rawPath.endsWith('/'),
    rawPath,
    query: url.searchParams
  }
}
