/**
 * @packageDocumentation
 *
 * A node on a repo that other nodes can reach, over libp2p: it exchanges blocks by Bitswap and HTTP, advertises what is
 * pinned, and publishes IPNS names. Importing this loads nothing else: `openNode` loads libp2p.
 *
 * @example Serve a repo on this machine alone
 *
 * ```typescript
 * import { openNode } from '@ipfsz/node/network'
 *
 * async function serve (directory: string): Promise<void> {
 *   const node = await openNode(directory, { listen: ['/ip4/127.0.0.1/tcp/4001'], bootstrap: [] })
 *   const { cid } = await node.repo.addDirectory('public')
 *   console.info(`${cid} at ${node.id.addresses.join(' ')}`)
 *   process.once('SIGTERM', () => { node.stop().catch(console.error) })
 * }
 * ```
 *
 * @example Fetch from a peer
 *
 * ```typescript
 * import { openNode } from '@ipfsz/node/network'
 * import type { CID } from 'multiformats/cid'
 *
 * async function fetchFrom (peer: string, cid: CID): Promise<void> {
 *   await using node = await openNode('repo', { bootstrap: [], provide: 'none' })
 *   await node.connect(peer)
 *   await node.repo.get(cid, 'copy', { signal: AbortSignal.timeout(60_000) })
 * }
 * ```
 */
import type { OpenNodeInit, RunningNode } from './contract.ts'

export type { OpenNodeInit, PublishNameOptions, RunningNode } from './contract.ts'
export type { ConnectedPeer, NodeId, Provider, PublishedName, ResolvedName } from '../network/network.ts'

/**
 * Start a node on a repo, which is created if there is none. One node at a time can have a repo.
 *
 * @param path - of the repo. By default that of the command: `$IPFSZ_PATH`, or `~/.ipfsz`
 * @throws {DaemonRunningError} another one has it
 * @throws {ListenError} it cannot listen on an address
 * @throws {UsageError} an address is not a multiaddr
 * @throws {MissingAddonError} LevelDB, which keeps what it knows of peers, cannot be loaded
 * @throws {RepoError} the repo cannot be opened
 */
export async function openNode (path?: string, init: OpenNodeInit = {}): Promise<RunningNode> {
  const { NodeHandle } = await import('./node-handle.ts')

  return NodeHandle.start(path, init)
}
