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
