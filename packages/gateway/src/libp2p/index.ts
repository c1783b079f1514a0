/**
 * Serves blocks and CARs to the peers of a libp2p node in Node.
 *
 * @example
 * ```typescript
 * import { ipfsz } from '@ipfsz/core'
 * import { serveOverLibp2p } from '@ipfsz/gateway/libp2p'
 * import { createHelia } from 'helia'
 *
 * const helia = await createHelia().start()
 * const stop = await serveOverLibp2p(helia.libp2p, { fs: ipfsz(helia), blocks: helia.blockstore })
 *
 * // later
 * await stop()
 * ```
 *
 * @packageDocumentation
 */
export {
  DEFAULT_LIBP2P_HELD_BYTES,
  DEFAULT_LIBP2P_REQUESTS,
  DEFAULT_LIBP2P_REQUESTS_PER_PEER,
  HTTP_PROTOCOL,
  serveOverLibp2p
} from './serve.ts'
export type { Libp2pGatewayInit } from './serve.ts'
