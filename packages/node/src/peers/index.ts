/**
 * @packageDocumentation
 *
 * The peers of the daemon that runs on a repo: who they are, and who advertises a CID. `@ipfsz/node/network` runs a
 * node in this process instead.
 *
 * @example
 *
 * ```ts
 * import { connectedPeers, connectPeers } from '@ipfsz/node/peers'
 *
 * await connectPeers(context, ['/ip4/192.0.2.1/tcp/4101'])
 * console.log(await connectedPeers(context))
 * ```
 */
export { connectedPeers, connectPeers, findProviders, identify } from './peers.ts'
export type { RepoIdentity } from './peers.ts'
export type { ConnectedPeer, Provider } from '../network/network.ts'
