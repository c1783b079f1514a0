import type { SourceBlock } from '@ipfsz/core'
import type { PeerFetchOptions } from '@ipfsz/core/libp2p'
import type { CID } from 'multiformats/cid'

/** The identity of a node and the addresses it can be reached at. */
export interface NodeId {
  peerId: string
  /** Multiaddrs that end with the peer id. */
  addresses: string[]
  agent: string
}

export interface ConnectedPeer {
  peerId: string
  /** The address of the connection. Of several, a direct one. */
  address: string
  /** Who made that connection. */
  direction: 'inbound' | 'outbound'
  /** Whether it is a node of the same shared store. */
  sameStore?: boolean
  /** The peer's agent version, if it has sent one. */
  agent?: string | undefined
}

/** A peer that advertises a CID. */
export interface Provider {
  peerId: string
  addresses: string[]
}

/** The signal ends the wait. Providers of the root are asked for the block. */
export interface FetchOptions extends Pick<PeerFetchOptions, 'part' | 'plan' | 'root' | 'signal' | 'size'> {
  /**
   * The ids of the peers that the user named. When all of them lack the block, and a search finds nobody else, it is
   * not waited for.
   *
   * @default none
   */
  named?: readonly string[] | undefined
  /**
   * Whether peers are searched for that have it: always, only if all that were known are gone, or never. Without a
   * search it fails as soon as none of those that are known can be expected to send it.
   *
   * @default 'all'
   */
  search?: 'all' | 'lost' | 'none' | undefined
  /**
   * Whether to store the block in the repo.
   *
   * @default true
   */
  store?: boolean | undefined
  /** Called with the id of a peer that lacks a block below the root. */
  onLacks?: ((peer: string) => void) | undefined
}

export interface PublishedName {
  /** The name that others resolve: `k51...`. */
  name: string
  /** The CID it leads to, marked if the published CID was. */
  cid: CID
  sequence: bigint
}

export interface ResolvedName {
  cid: CID
  /** The path below the CID, such as `a/b.txt`, or empty. */
  path: string
  /** How long the owner of the name lets others keep this, in seconds, if it is known. */
  ttl?: number | undefined
}

export interface PublishOptions {
  signal: AbortSignal
  /** The name of a key in the repo. It is created if missing. */
  key: string
  /** How long the record is valid, in milliseconds. */
  lifetime?: number | undefined
}

/** How a command reaches other nodes: through the daemon of the repo, or a node of its own. */
export interface Network {
  /** The identity of this node. */
  id (): Promise<NodeId>

  /** Each connected peer once. */
  peers (): Promise<ConnectedPeer[]>

  /** Connects to the peer at a multiaddr, and stays connected. Returns the peer id. */
  connect (address: string, signal: AbortSignal): Promise<string>

  /**
   * Fetches a block from peers and, unless told otherwise, stores it in the repo.
   *
   * @throws {NotFoundError} no known peer has it, and none is searched for, or nobody else can be found
   */
  fetch (cid: CID, options: FetchOptions): Promise<SourceBlock>

  /** How many peers were found that may have the blocks below a root. */
  providerCount (root: CID): Promise<number>

  /** Yields the providers of a CID as they are found. */
  findProviders (cid: CID, signal: AbortSignal): AsyncIterable<Provider>

  /** Advertises CIDs in the DHT, in the background. */
  provide (cids: readonly CID[]): Promise<void>

  /** @throws {NameError} no peer stored the record */
  publishName (cid: CID, path: string, options: PublishOptions): Promise<PublishedName>

  /** @throws {NameError} the text is not a name, or no valid record was found */
  resolveName (name: string, signal: AbortSignal): Promise<ResolvedName>

  /**
   * The signed record of a name, as its owner published it. It is valid.
   *
   * @throws {NameError} the text is not a name, or no valid record was found
   */
  nameRecord (name: string, signal: AbortSignal): Promise<Uint8Array>

  close (): Promise<void>
}
