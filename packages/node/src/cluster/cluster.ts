import { StoreNodes } from '@ipfsz/shared-store/nodes'
import { ClusterPeers } from './cluster-peers.ts'
import { PinShares } from './pin-shares.ts'
import { packageVersion } from '../version.ts'
import type { ClusterTimes, FetchHere } from './cluster-peers.ts'
import type { PinSharesInit } from './pin-shares.ts'
import type { SharedStore } from '@ipfsz/shared-store'
import type { Libp2p } from '@libp2p/interface'

export interface ClusterInit extends Pick<PinSharesInit, 'onTakeOver'> {
  libp2p: Libp2p
  store: Pick<SharedStore, 'leaseTimeout' | 'objects'>
  /** How long another node may take. */
  times?: ClusterTimes | undefined
  onNote: (message: string) => void
}

/** What a daemon does with the other nodes of its store: knows them, fetches for them, and shares the pins out. */
export class Cluster {
  readonly peers: ClusterPeers
  readonly shares: PinShares
  readonly #nodes: StoreNodes
  readonly #started = Promise.withResolvers<void>()
  #end: () => Promise<void> = async () => {}

  constructor ({ libp2p, store: { objects, leaseTimeout }, times, onTakeOver, onNote }: ClusterInit) {
    const peerId = libp2p.peerId.toString()

    this.#nodes = new StoreNodes({
      store: objects,
      leaseTimeout,
      peerId,
      addresses: () => libp2p.getMultiaddrs().map(String),
      version: packageVersion(),
      onLook: look => {
        this.peers.update(look)
        this.shares.lose(look.gone)
      },
      onNote
    })
    this.peers = new ClusterPeers({ libp2p, nodes: this.#nodes, ...times })
    this.shares = new PinShares({ peerId, nodes: this.#nodes, delay: leaseTimeout, onTakeOver })
  }

  /** Resolves when the others have been looked for. */
  get started (): Promise<void> {
    return this.#started.promise
  }

  async start (fetchForPeer: FetchHere): Promise<void> {
    this.#end = await this.peers.serve(fetchForPeer)
    await this.#nodes.start()
    this.#started.resolve()
  }

  async stop (): Promise<void> {
    this.shares.stop()
    await this.#end()
    await this.#nodes.stop()
    // nobody waits in vain
    this.#started.resolve()
  }
}
