import type { CID } from 'multiformats/cid'

/** Who a node is, and where others reach it. */
export interface NodeId {
  peerId: string
  /** Multiaddrs with the peer id at the end. */
  addresses: string[]
  agent: string
}

/** A peer that is connected. */
export interface ConnectedPeer {
  peerId: string
  /** The address of the connection. */
  address: string
  direction: 'inbound' | 'outbound'
  /** What it says to be, where it has said so. */
  agent?: string | undefined
}

/** A peer that says to have something. */
export interface Provider {
  peerId: string
  addresses: string[]
}

/** A block that came from somebody else. It has been compared with its hash. */
export interface FetchedBlock {
  bytes: Uint8Array
  /** The peer it came from. */
  peerId: string
}

export interface FetchOptions {
  /** What the block belongs to: who has the root is asked for all below it. */
  root: CID
  /** The bytes of the block, where they are known. */
  size?: number | undefined
  /**
   * Whether peers are searched for that have it. Otherwise it fails as soon as none of
   * those that are known can be expected to send it.
   *
   * @default true
   */
  search?: boolean | undefined
  signal: AbortSignal
  /** How long to wait for anything to arrive, in milliseconds. */
  timeout: number
}

export interface PublishedName {
  /** What others resolve: `k51...`. */
  name: string
  /** What it leads to, marked where it was. */
  cid: CID
  sequence: bigint
}

export interface ResolvedName {
  cid: CID
  /** What is behind the CID, empty or `a/b.txt`. */
  path: string
}

export interface NameOptions {
  signal: AbortSignal
}

export interface PublishOptions extends NameOptions {
  /** The name of the key in the repo. It is made where there is none. */
  key: string
  /** How long the record is good for, in milliseconds. */
  lifetime?: number | undefined
}

/** Other nodes, as a command sees them: through a node of its own, or through the daemon. */
export interface Network {
  /** Who this node is. */
  id (): Promise<NodeId>

  peers (): Promise<ConnectedPeer[]>

  /**
   * Connect to a peer, and stay connected.
   *
   * @returns its peer id
   * @throws {NotConnectedError}
   */
  connect (address: string, signal: AbortSignal): Promise<string>

  /**
   * Get a block from others, and keep it in the repo.
   *
   * @throws {NotFetchedError} nothing arrived within the timeout
   */
  fetch (cid: CID, options: FetchOptions): Promise<FetchedBlock>

  /** Who says to have something, as they are found. */
  findProviders (cid: CID, signal: AbortSignal): AsyncIterable<Provider>

  /** Tell others that this node has something. It is done in the background. */
  provide (cids: readonly CID[]): Promise<void>

  /** @throws {NameError} */
  publishName (cid: CID, path: string, options: PublishOptions): Promise<PublishedName>

  /** @throws {NameError} */
  resolveName (name: string, options: NameOptions): Promise<ResolvedName>

  close (): Promise<void>
}
