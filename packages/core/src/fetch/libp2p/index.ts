/**
 * Fetches blocks from peers that serve them over HTTP through libp2p, verified: `ipfsz daemon`, and Kubo with
 * `Experimental.GatewayOverLibp2p`. A file arrives with one response, where Bitswap takes a round trip for every few
 * blocks.
 *
 * @example Ask such peers before Bitswap
 * ```typescript
 * import { heliaSource, ipfsz } from '@ipfsz/core'
 * import { connectedPeers, PeerGateways } from '@ipfsz/core/libp2p'
 * import { createHelia } from 'helia'
 * import { CID } from 'multiformats/cid'
 *
 * const helia = await createHelia().start()
 * const root = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
 * const plan = { path: '', scope: 'entity' } as const
 * const peers = new PeerGateways({ root, peers: connectedPeers(helia.libp2p), plan })
 * const { blockstore } = helia
 * const fs = ipfsz({ blockstore, sources: [peers, heliaSource(blockstore)] })
 *
 * for await (const bytes of fs.cat(root)) {
 *   console.info(bytes.byteLength)
 * }
 *
 * peers.close()
 * ```
 *
 * @packageDocumentation
 */
export { connectedPeers } from './connected-peers.ts'
export { fetchOverStream } from './fetch-over-stream.ts'
export { earlyBudget, HTTP_PROTOCOL } from './limits.ts'
export { PeerGateways } from './peer-gateways.ts'
export { InvalidResponseError } from './response-head.ts'
export type { EarlyBudget } from '../http/early-blocks.ts'
export type { GatewayResponse } from '../http/open-response.ts'
export type { HttpPeersComponents } from './connected-peers.ts'
export type { ReadPlan } from '../http/http-source.ts'
export type { HttpPeer, HttpPeers, PeerFetchOptions, PeerGatewaysInit } from './peer-gateways.ts'
