import { setTimeout as delay } from 'node:timers/promises'
import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { base64 } from 'multiformats/bases/base64'
import { keyOf } from '../../dag/dag-walk.ts'
import type { BitswapMessages, WantEntry } from '../helia-internals/bitswap-messages.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** What is sent to one peer next. Keys are multihashes in base64. */
interface Batch {
  cancels: Map<string, WantEntry>
  wants: Map<string, WantEntry>
  sent: Promise<void>
}

/** How long a want waits for others to the same peer, in milliseconds: a peer answers one message after the other. */
const BATCH_DELAY = 1

/** How many of the blocks that arrived last are remembered, with 200 bytes each. */
const MAX_RECEIVED = 4096

/** Receives what peers send for one CID. */
export interface WantListener {
  /** A peer sent bytes as this block. They are not checked yet. */
  block?: (bytes: Uint8Array, sender: PeerId) => void
  /** A peer says whether it has the block. */
  presence?: (has: boolean, sender: PeerId) => void
}

/** Sends wants to single peers and hands out their answers. */
export class Wants {
  readonly #bitswap: BitswapMessages
  readonly #listeners = new Map<string, Set<WantListener>>()
  readonly #onPeer = new Set<(peer: PeerId, connected: boolean) => void>()
  /** The batches that are about to be sent, by peer id. */
  readonly #batches = new Map<string, Batch>()
  /** The blocks that arrived last, with their senders, the oldest first. */
  readonly #received = new Set<string>()

  constructor (bitswap: BitswapMessages) {
    const { network, wantList } = this.#bitswap = bitswap

    // listens from the start: an answer may arrive before `sendMessage` returns
    wantList.addEventListener('block', ({ detail: { cid, block, sender } }) => {
      forgetOldest(this.#received.add(receivedKey(cid, sender)), MAX_RECEIVED)
      this.#listeners.get(keyOf(cid))?.forEach(listener => listener.block?.(block, sender))
    })
    wantList.addEventListener('presence', ({ detail: { cid, has, sender } }) => {
      this.#listeners.get(keyOf(cid))?.forEach(listener => listener.presence?.(has, sender))
    })
    network.addEventListener('peer:connected', ({ detail }) => {
      this.#onPeer.forEach(listener => listener(detail, true))
    })
    network.addEventListener('peer:disconnected', ({ detail }) => {
      this.#onPeer.forEach(listener => listener(detail, false))
    })
  }

  /** The connected peers that speak Bitswap. */
  peers (): PeerId[] {
    return [...this.#bitswap.wantList.peers.keys()]
  }

  onPeer (listener: (peer: PeerId, connected: boolean) => void): () => void {
    this.#onPeer.add(listener)

    return () => { this.#onPeer.delete(listener) }
  }

  listen (cid: CID, listener: WantListener): () => void {
    const key = keyOf(cid)
    const listeners = this.#listeners.get(key) ?? new Set()

    this.#listeners.set(key, listeners.add(listener))

    return () => {
      listeners.delete(listener)

      if (listeners.size === 0 && this.#listeners.get(key) === listeners) {
        this.#listeners.delete(key)
      }
    }
  }

  /**
   * Asks a peer for a block, or only whether it has the block. The answer goes to the listeners of
   * the CID. Rejects if the want could not be sent.
   */
  async send (cid: CID, peer: PeerId, what: 'block' | 'presence'): Promise<void> {
    const wantType = what === 'block' ? 'WantBlock' : 'WantHave'

    // a Helia takes the want for the earlier one, and sends nothing (docs/upstream.md)
    if (what === 'block' && this.#received.delete(receivedKey(cid, peer))) {
      // if it cannot be sent, nor can the want
      this.cancel(cid, peer).catch(() => {})
    }

    await this.#send(cid, peer, { cid: cid.bytes, priority: 1, wantType, sendDontHave: true })
  }

  /** Cancels a want. A peer does not answer a second want for a block while it has the first on its list. */
  async cancel (cid: CID, peer: PeerId): Promise<void> {
    await this.#send(cid, peer, { cid: cid.bytes, priority: 1, cancel: true })
  }

  /** Adds an entry to what the peer is sent next. A cancel removes an earlier want, but not a later one. */
  async #send (cid: CID, peer: PeerId, entry: WantEntry): Promise<void> {
    const id = peer.toString()
    const key = base64.encode(cid.multihash.bytes)
    const batch = this.#batches.get(id) ?? { cancels: new Map(), wants: new Map(), sent: this.#sendLater(peer) }
    this.#batches.set(id, batch)
    batch.wants.delete(key)
    batch[entry.cancel === true ? 'cancels' : 'wants'].set(key, entry)

    return batch.sent
  }

  async #sendLater (peer: PeerId): Promise<void> {
    await delay(BATCH_DELAY)
    const { cancels, wants } = this.#batches.get(peer.toString()) as Batch
    this.#batches.delete(peer.toString())
    const message = { full: false, pendingBytes: 0, blocks: new Map(), blockPresences: new Map() }

    // a want may follow a cancel: both must reach the peer, in this order
    for (const wantlist of [cancels, wants].filter(({ size }) => size > 0)) {
      await this.#bitswap.network.sendMessage(peer, { ...message, wantlist })
    }
  }
}

function receivedKey (cid: CID, peer: PeerId): string {
  return `${peer} ${keyOf(cid)}`
}
