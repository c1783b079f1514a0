/**
 * @packageDocumentation
 *
 * The gateway on Node's `http` and `http2`.
 *
 * @example Serve a Helia node's files on localhost
 *
 * ```typescript
 * import { ipfsz } from '@ipfsz/core'
 * import { createGateway } from '@ipfsz/gateway'
 * import { createNodeServer } from '@ipfsz/gateway/node'
 * import { createHeliaLight } from 'helia'
 *
 * const helia = createHeliaLight()
 * const gateway = createGateway({ fs: ipfsz(helia), blocks: helia.blockstore })
 *
 * createNodeServer(gateway).listen(8080, '127.0.0.1')
 * ```
 */

export { createNodeHandler } from './handler.ts'
export { createNodeServer, DEFAULT_MAX_CONNECTIONS } from './server.ts'
export { clientAddress, trustedProxies } from './trusted-proxies.ts'
export type { NodeHandler, NodeHandlerInit } from './handler.ts'
export type { NodeServer, NodeServerInit } from './server.ts'
export type { ClientRequest, IsTrusted, TrustedProxies } from './trusted-proxies.ts'
