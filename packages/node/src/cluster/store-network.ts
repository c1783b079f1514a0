import { checkHash } from '@ipfsz/core'
import { NodeNetwork } from '../network/node/node-network.ts'
import type { ConnectedPeer, FetchOptions } from '../network/network.ts'
import type { NodeNetworkInit } from '../network/node/node-network.ts'
import type { ClusterPeers } from './cluster-peers.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface StoreNetworkInit extends NodeNetworkInit {
  /** The other nodes of a shared store. Undefined: the store is not shared. */
  clusterPeers: Pick<ClusterPeers, 'fetch' | 'has'> | undefined
}

/** Keeps blocks outside of the repo: a `SharedCache`. */
interface KeptBlocks {
  /** Undefined: it is not kept. A block that is was compared with its CID. */
  get (cid: CID, options: { signal: AbortSignal }): Promise<Uint8Array | undefined>
  put (cid: CID, bytes: Uint8Array): Promise<void>
}

/** Reaches other nodes through a node in this process, and fetches together with the other nodes of its store. */
export class StoreNetwork extends NodeNetwork {
  readonly #clusterPeers: StoreNetworkInit['clusterPeers']
  #kept: KeptBlocks | undefined

  constructor ({ clusterPeers, ...init }: StoreNetworkInit) {
    super(init)
    this.#clusterPeers = clusterPeers
  }

  override async peers (): Promise<ConnectedPeer[]> {
    const peers = await super.peers()

    return peers.map(peer => this.#clusterPeers?.has(peer.peerId) === true ? { ...peer, sameStore: true } : peer)
  }

  override async fetch (cid: CID, options: FetchOptions): Promise<SourceBlock> {
    checkHash(cid)

    return this.#clusterPeers == null
      ? super.fetch(cid, options)
      : this.#clusterPeers.fetch(cid, options, async (...args) => super.fetch(...args))
  }

  /**
   * Where to keep what is fetched for another node of the store that does not want it stored: a third node may ask for
   * it next. Undefined: nowhere.
   */
  keepForCluster (kept: KeptBlocks | undefined): void {
    this.#kept = kept
  }

  /** Fetch a block for another node of the store, without asking a third one. It may have been stored meanwhile. */
  async fetchForPeer (cid: CID, options: FetchOptions): Promise<SourceBlock> {
    checkHash(cid)

    const bytes = await this.read(cid) ?? await this.#kept?.get(cid, options)

    if (bytes != null) {
      return { bytes, sender: (await this.id()).peerId, verified: true }
    }

    const fetched = await super.fetch(cid, options)

    if (options.store === false) {
      await this.#kept?.put(cid, fetched.bytes)
    }

    return fetched
  }
}
