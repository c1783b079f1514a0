/**
 * @packageDocumentation
 *
 * Serves a repo over HTTP, as the gateways of IPFS do.
 *
 * @example Serve what is in the repo to this machine
 *
 * ```ts
 * import { serveGateway } from '@ipfsz/node/gateway'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { url, stop } = await serveGateway(context, { listen: '127.0.0.1:8080' })
 * console.log(`${url}/ipfs/CID`)
 * process.once('SIGTERM', stop)
 * ```
 */
export { formatCombined, toJson as entryToJson } from './access-log.ts'
export { DEFAULT_GATEWAY_ADDRESS } from './default-address.ts'
export { isLoopback, parseListenAddress } from './listen-address.ts'
export { DEFAULT_CACHE_SIZE } from './open-cache.ts'
export { checkGateway, gatewayOfDaemon, serveGateway } from './serve-gateway.ts'
export type { AccessEntry } from './access-log.ts'
export type { Compressed, ServeGatewayOptions } from './gateway-options.ts'
export type { ServedGateway } from './serve-gateway.ts'
