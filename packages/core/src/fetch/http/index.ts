/**
 * Fetches blocks from HTTP gateways, verified.
 *
 * @example Read a file of which nothing is stored here
 * ```typescript
 * import { ipfsz } from '@ipfsz/core'
 * import { GatewayPool, HttpSource } from '@ipfsz/core/http'
 * import { MemoryBlockstore } from 'blockstore-core'
 * import { CID } from 'multiformats/cid'
 *
 * const root = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
 * const source = new HttpSource({ root, pool: new GatewayPool(['http://127.0.0.1:8080']) })
 * const fs = ipfsz({ blockstore: new MemoryBlockstore(), sources: [source] })
 *
 * for await (const bytes of fs.cat(root)) {
 *   console.info(bytes.byteLength)
 * }
 *
 * source.close()
 * ```
 *
 * @packageDocumentation
 */
export * from './errors.ts'
export { GatewayPool } from './gateway-pool.ts'
export { parseGatewayUrl } from './gateway-url.ts'
export { HttpSource } from './http-source.ts'
export { openResponse } from './open-response.ts'
export type { HttpSourceInit, ReadPlan } from './http-source.ts'
export type { Fetch, GatewayBody, GatewayRequest, GatewayResponse, RequestOptions } from './open-response.ts'
export type { GatewaySettingsInit } from './settings.ts'
export type { GatewayBlock, SourceFetchOptions } from './want.ts'
export type { FilePart } from '../../dag/block.ts'
