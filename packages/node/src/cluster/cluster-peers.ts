import { setTimeout as delay } from 'node:timers/promises'
import { hostname } from 'node:os'
import { checkBlock } from '@ipfsz/core'
import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { KEEP_ALIVE } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { keyOf } from '../dag/dag-walk.ts'
import { ownersOf, usableAddresses } from '@ipfsz/shared-store/nodes'
import { fetchRequest } from '../network/fetch-request.ts'
import { answerPeers } from './answer-peers.ts'
import { askPeer, ClusterPeerError } from './ask-peer.ts'
import { CLUSTER_PROTOCOL } from './messages.ts'
import type { FetchOptions } from '../network/network.ts'
import type { NodeRecord, StoreNodes } from '@ipfsz/shared-store/nodes'
import type { SourceBlock } from '@ipfsz/core'
import type { IdentifyResult, Libp2p } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

const TAG = `${KEEP_ALIVE}-ipfsz-store`
/** How long connecting to a node may take, in milliseconds. It is tried again at each look. */
const DIAL_TIMEOUT = 5000
/** Defaults of `ClusterTimes`. */
const SILENCE = 3000
const PATIENCE = 5000
/** How long a node that failed, or a root that it was slow with, is not left to it again, in milliseconds. */
const AVOID_TIME = 30_000
/** Maximum number of roots that this is remembered of. */
const MAX_AVOIDED = 1024
/** A look at the store for a peer that is unknown comes at most so often, in milliseconds: strangers can cause it. */
const LOOK_INTERVAL = 3000

/** In milliseconds. */
export interface ClusterTimes {
  /** How long a node that was asked may say nothing. @default 3000 */
  silence?: number | undefined
  /** How long it may work on a block until this node fetches it besides. @default 5000 */
  patience?: number | undefined
}

export interface ClusterPeersInit extends ClusterTimes {
  libp2p: Libp2p
  /** The nodes of the store, with this one. */
  nodes: Pick<StoreNodes, 'has' | 'living' | 'look'>
}

/** Fetches a block in this process, from the network. */
export type FetchHere = (cid: CID, options: FetchOptions) => Promise<SourceBlock>

/**
 * The other nodes of a store. What the store lacks is fetched by one of them for all, its owner, which the nodes agree
 * on by the CID of the root alone. Whoever gets no block from the owner fetches it without.
 */
export class ClusterPeers {
  readonly #libp2p: Libp2p
  readonly #nodes: ClusterPeersInit['nodes']
  readonly #silence: number
  readonly #patience: number
  readonly #stopped = new AbortController()
  readonly #dialling = new Set<string>()
  /** What is not left to its owner until then, on the clock of `performance.now`: peer ids, and keys of roots. */
  readonly #avoided = new Map<string, number>()
  #lookedAt = -Infinity

  constructor ({ libp2p, nodes, silence = SILENCE, patience = PATIENCE }: ClusterPeersInit) {
    this.#libp2p = libp2p
    this.#nodes = nodes
    this.#silence = silence
    this.#patience = patience
  }

  /** Fetch for the others, too. Returns what ends it. */
  async serve (fetchHere: FetchHere): Promise<() => Promise<void>> {
    const end = await answerPeers({
      libp2p: this.#libp2p,
      isPeer: async peerId => this.#isPeer(peerId),
      fetchHere
    })

    const onIdentify = ({ detail: { peerId, protocols } }: CustomEvent<IdentifyResult>): void => {
      if (protocols.includes(CLUSTER_PROTOCOL)) {
        // one that has just begun, and found this one in the store
        this.#isPeer(peerId.toString()).catch(() => {})
      }
    }
    this.#libp2p.addEventListener('peer:identify', onIdentify)

    return async () => {
      this.#libp2p.removeEventListener('peer:identify', onIdentify)
      this.#stopped.abort(new Error('the node has stopped'))
      await end()
    }
  }

  has (peerId: string): boolean {
    return this.#nodes.has(peerId)
  }

  /** Connect to the nodes that live, and keep no connection to those that no longer do. */
  update ({ others, gone }: { others: readonly NodeRecord[], gone: readonly string[] }): void {
    others.forEach(node => { this.#connect(node).catch(() => {}) })

    for (const peerId of gone) {
      this.#libp2p.peerStore.merge(peerIdFromString(peerId), { tags: { [TAG]: undefined } }).catch(() => {})
    }
  }

  /** Fetch a block through the owner of its root, or here if that is this node, or the owner does not bring it. */
  async fetch (cid: CID, options: FetchOptions, fetchHere: FetchHere): Promise<SourceBlock> {
    const [owner] = ownersOf(options.root.multihash.bytes, this.#nodes.living, 1)
    const root = keyOf(options.root)

    if (owner === this.#libp2p.peerId.toString() || this.#isAvoided(owner) || this.#isAvoided(root)) {
      return fetchHere(cid, options)
    }

    const over = new AbortController()
    const both = { ...options, signal: AbortSignal.any([options.signal, over.signal]) }
    const asked = this.#ask(owner, cid, both)

    try {
      const fetched = await Promise.race([
        asked.catch(() => undefined),
        delay(this.#patience, undefined, { signal: both.signal, ref: false })
      ])

      if (fetched != null) {
        return fetched
      }

      options.signal.throwIfAborted()
      this.#avoid(root)

      return await Promise.any([asked, fetchHere(cid, both)])
    } catch (err) {
      options.signal.throwIfAborted()
      // why it could not be fetched here says more
      throw err instanceof AggregateError ? err.errors[1] : err
    } finally {
      over.abort(new Error('the block has arrived'))
    }
  }

  async #ask (owner: string, cid: CID, { signal, ...options }: FetchOptions): Promise<SourceBlock> {
    try {
      const connection = this.#libp2p.getConnections(peerIdFromString(owner))
        .find(({ limits, status }) => limits == null && status === 'open')

      if (connection == null) {
        throw new Error('the other node of the store is not connected')
      }

      const bytes = await askPeer(connection, fetchRequest(cid, options), { silence: this.#silence, signal })
      await checkBlock(cid, bytes)

      return { bytes, sender: owner, verified: true }
    } catch (err) {
      // too many requests of this node are no fault of the other one
      if (!signal.aborted && !(err instanceof Error && err.name === 'TooManyOutboundProtocolStreamsError')) {
        // it may bring the blocks of another root
        this.#avoid(err instanceof ClusterPeerError ? keyOf(options.root) : owner)
      }

      throw err
    }
  }

  async #connect ({ peerId, ...node }: NodeRecord): Promise<void> {
    const id = peerIdFromString(peerId)

    if (this.#dialling.has(peerId) || this.#libp2p.getConnections(id).length > 0) {
      return
    }

    this.#dialling.add(peerId)

    try {
      const addresses = usableAddresses({ peerId, ...node }, hostname()).map(address => multiaddr(address))

      if (addresses.length > 0) {
        const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(DIAL_TIMEOUT)])
        await this.#libp2p.dial(addresses, { signal })
        await this.#libp2p.peerStore.merge(id, { tags: { [TAG]: { value: 1 } } })
        this.#avoided.delete(peerId)
      }
    } finally {
      this.#dialling.delete(peerId)
    }
  }

  /** Whether a peer is a node of the store. One that is unknown may have begun just now. */
  async #isPeer (peerId: string): Promise<boolean> {
    if (!this.#nodes.has(peerId) && performance.now() - this.#lookedAt > LOOK_INTERVAL) {
      this.#lookedAt = performance.now()
      await this.#nodes.look()
    }

    return this.#nodes.has(peerId)
  }

  #isAvoided (key: string): boolean {
    return (this.#avoided.get(key) ?? -Infinity) > performance.now()
  }

  #avoid (key: string): void {
    this.#avoided.delete(key)
    this.#avoided.set(key, performance.now() + AVOID_TIME)

    forgetOldest(this.#avoided, MAX_AVOIDED)
  }
}
