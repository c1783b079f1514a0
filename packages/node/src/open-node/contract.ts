import type { CallOptions, OpenRepo } from '../handle/contract.ts'
import type { DaemonInit, Provides } from '../daemon/daemon.ts'
import type { NodeProgressOptions } from '../events.ts'
import type { ConnectedPeer, NodeId, Provider, PublishedName, ResolvedName } from '../network/network.ts'
import type { CID } from 'multiformats/cid'

type NodeSettings = Pick<DaemonInit, 'announce' | 'compressConnections' | 'listen' | 'originals' | 'serveHttp'>

export interface OpenNodeInit extends NodeProgressOptions, NodeSettings {
  /**
   * Multiaddrs of bootstrap peers. None: the node joins no network, and knows only those whom it connects to.
   *
   * @default `$IPFSZ_BOOTSTRAP`, or else those of the public network
   */
  bootstrap?: readonly string[] | undefined
  /**
   * What it advertises: the roots of all pins, all blocks below them, or nothing.
   *
   * @default 'roots'
   */
  provide?: Provides | undefined
  /** Ends the start, and all calls. It does not stop a node that runs: `stop` does. */
  signal?: AbortSignal | undefined
}

export interface PublishNameOptions extends CallOptions {
  /**
   * A path below the CID.
   *
   * @default none
   */
  path?: string | undefined
  /**
   * The key in the repo to sign with. It is created if missing.
   *
   * @default 'self', the key of the node
   */
  key?: string | undefined
  /**
   * How long the record is valid, in milliseconds. The node publishes it again in time.
   *
   * @default 172800000
   */
  lifetime?: number | undefined
}

/** A node that runs on a repo, as `ipfsz daemon` does: other nodes find and fetch what is in the repo. */
export interface RunningNode extends AsyncDisposable {
  /** Its peer id, and the addresses at which others reach it. */
  readonly id: NodeId

  /** The repo. What is missing is fetched through the node. Closed with it. */
  readonly repo: OpenRepo

  /** The peers that it is connected to, each once. */
  peers (): Promise<ConnectedPeer[]>

  /**
   * Connect to a peer, and stay connected.
   *
   * @param address - a multiaddr
   * @returns the peer id
   * @throws {NotConnectedError} the peer cannot be reached
   * @throws {UsageError} the address is not a multiaddr
   */
  connect (address: string, options?: CallOptions): Promise<string>

  /** Find the peers that advertise a CID, as they are found. */
  findProviders (cid: CID, options?: CallOptions): AsyncIterable<Provider>

  /** Advertise CIDs, in the background. What is pinned is advertised without it. */
  provide (cids: readonly CID[]): Promise<void>

  /**
   * Publish an IPNS name for a CID.
   *
   * @throws {NameError} no peer stored the record
   */
  publishName (cid: CID, options?: PublishNameOptions): Promise<PublishedName>

  /**
   * Resolve an IPNS name, `k51...`.
   *
   * @throws {NameError} it is no name, or no valid record was found
   */
  resolveName (name: string, options?: CallOptions): Promise<ResolvedName>

  /** Close the repo, and stop the node. */
  stop (): Promise<void>
}
