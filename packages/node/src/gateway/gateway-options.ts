import type { AccessEntry } from './access-log.ts'

/** What a gateway compresses: blocks that are stored plain, or also files that clients cannot take as stored. */
export type Compressed = 'blocks' | 'all'

export interface ServeGatewayOptions {
  /** As in `127.0.0.1:8080`; port 0 for a free one. */
  listen: string
  /**
   * Whether to fetch what the repo lacks from other nodes.
   *
   * @default false
   */
  fetch?: boolean | undefined
  /**
   * Maximum bytes to keep of what is fetched. 0 keeps nothing.
   *
   * @default 10737418240
   */
  cache?: number | undefined
  /**
   * Whether other machines may connect.
   *
   * @default false
   */
  public?: boolean | undefined
  /** Where Prometheus reads metrics, as in `127.0.0.1:9090`. By default nowhere. */
  metrics?: string | undefined
  /** Hosts, besides `localhost`, on whose subdomains each CID has an origin of its own. */
  host?: readonly string[] | undefined
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed, or `loopback`. */
  trustProxy?: string[] | undefined
  /** What to compress. By default nothing. */
  compress?: Compressed | undefined
  /** The share of one core that this may take, in percent. */
  compressCpu?: number | undefined
  /** Bytes of memory for compressed blocks. */
  compressCache?: number | undefined
  /** Maximum requests that are answered at once. */
  maxRequests?: number | undefined
  /** The same of one address. */
  maxRequestsPerAddress?: number | undefined
  /**
   * Whether to serve the originals of linked files that are indexed, too.
   *
   * @default false
   */
  serveOriginals?: boolean | undefined
  /** Called for each request when its response is over. Returns false if the entry was dropped. */
  onEntry?: ((entry: AccessEntry) => boolean) | undefined
}
