/**
 * @packageDocumentation
 *
 * Answers requests of pages below `/ipfs/` of their own origin, in their service worker: with the original bytes of
 * what IPFSz has compressed, and of any other UnixFS file. Blocks come from trustless gateways, are compared with their
 * CIDs, and are kept for when there is no network.
 *
 * @example The whole service worker of a page
 *
 * ```typescript
 * import { registerIpfsz } from '@ipfsz/gateway/service-worker'
 *
 * registerIpfsz({ gateways: ['https://trustless-gateway.link'] })
 * ```
 *
 * @example With other codecs than zstd, and a site of one's own
 *
 * ```typescript
 * import { brotli } from '@ipfsz/codecs/brotli'
 * import { zstdDecoder } from '@ipfsz/codecs/zstd-decoder'
 * import { registerIpfsz } from '@ipfsz/gateway/service-worker'
 *
 * registerIpfsz({
 *   gateways: ['https://trustless-gateway.link', 'https://example.org/gateway/'],
 *   codecs: [zstdDecoder(), brotli()],
 *   trusted: ['bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354']
 * })
 * ```
 */
export { registerIpfsz } from './register.ts'
export { DEFAULT_CACHE_SIZE } from './worker-gateway.ts'
export type { FetchedBlock } from './gateway-sources.ts'
export type { ServiceWorkerInit } from './register.ts'
export type { SiteInit } from './site.ts'
export type { WorkerGatewayInit } from './worker-gateway.ts'
