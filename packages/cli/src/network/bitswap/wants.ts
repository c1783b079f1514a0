import { setTimeout as delay } from 'node:timers/promises'
import { base64 } from 'multiformats/bases/base64'
import { keyOf } from '../../dag-walk.ts'
import { NodeError } from '../../errors.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** A block has come from a peer, and its bytes have not been compared with anything yet. */
interface BlockDetail {
  cid: CID
  block: Uint8Array
  sender: PeerId
}

interface PresenceDetail {
  cid: CID
  sender: PeerId
  has: boolean
}

interface SendOptions {
  signal?: AbortSignal
}

/** As message.proto of Bitswap 1.2.0 has it. */
interface Entry {
  cid: Uint8Array
  priority: number
  cancel?: boolean
  wantType?: WantType
  /** Whether to say so where it is not there. */
  sendDontHave?: boolean
}

type WantType = 'WantBlock' | 'WantHave'

/** A message as its queue has it, by multihashes in base64. */
interface Message {
  full: boolean
  pendingBytes: number
  wantlist: Map<string, Entry>
  blocks: Map<string, unknown>
  blockPresences: Map<string, unknown>
}

/** Wants that go to a peer together. */
interface Batch {
  wantlist: Map<string, Entry>
  sent: Promise<void>
}

/**
 * How long others are waited for that go to the same peer, in milliseconds. A message
 * takes a stream of its own, and what comes in the first message is sent before the
 * rest is looked at.
 */
const GATHER_TIME = 5

/**
 * What is used of Helia's Bitswap besides its public interface. That one sends each
 * want to every peer, so that all who have a block send it.
 */
interface Bitswap {
  network: {
    sendMessage (peer: PeerId, message: Message, options?: SendOptions): Promise<unknown>
    addEventListener (type: string, listener: (event: CustomEvent<PeerId>) => void): void
  }
  wantList: {
    /** The connected peers that speak Bitswap. */
    peers: { keys (): Iterable<PeerId> }
    addEventListener (type: 'block', listener: (event: CustomEvent<BlockDetail>) => void): void
    addEventListener (type: 'presence', listener: (event: CustomEvent<PresenceDetail>) => void): void
  }
}

/** What is told of a block that is wanted. */
export interface WantListener {
  /** Somebody sent bytes that say to be it. */
  block?: (bytes: Uint8Array, sender: PeerId) => void
  /** A peer says whether it has it. */
  presence?: (has: boolean, sender: PeerId) => void
}

/** Wants that go to one peer each, and what comes of them. */
export class Wants {
  readonly #bitswap: Bitswap
  readonly #listeners = new Map<string, Set<WantListener>>()
  readonly #onPeer = new Set<(peer: PeerId, connected: boolean) => void>()
  /** What is about to be sent, by peer. */
  readonly #batches = new Map<string, Batch>()

  /**
   * @param broker - as `withBitswap` of @helia/bitswap makes it
   * @throws {NodeError} it is of a version that is not known here
   */
  constructor (broker: unknown) {
    this.#bitswap = bitswapOf(broker)
    const { network, wantList } = this.#bitswap

    // before anything is sent: an answer may be here before the sending is over
    wantList.addEventListener('block', ({ detail: { cid, block, sender } }) => {
      this.#listeners.get(keyOf(cid))?.forEach(listener => listener.block?.(block, sender))
    })
    wantList.addEventListener('presence', ({ detail: { cid, has, sender } }) => {
      this.#listeners.get(keyOf(cid))?.forEach(listener => listener.presence?.(has, sender))
    })
    network.addEventListener('peer:connected', ({ detail }) => { this.#onPeer.forEach(listener => listener(detail, true)) })
    network.addEventListener('peer:disconnected', ({ detail }) => { this.#onPeer.forEach(listener => listener(detail, false)) })
  }

  /** The connected peers that speak Bitswap. */
  peers (): PeerId[] {
    return [...this.#bitswap.wantList.peers.keys()]
  }

  /** @returns what ends it */
  onPeer (listener: (peer: PeerId, connected: boolean) => void): () => void {
    this.#onPeer.add(listener)

    return () => { this.#onPeer.delete(listener) }
  }

  /** @returns what ends it */
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
   * Ask a peer for a block, or only whether it has it. What it says comes to those who
   * listen, and this fails where the peer cannot be asked.
   */
  async send (cid: CID, peer: PeerId, what: 'block' | 'presence'): Promise<void> {
    await this.#send(cid, peer, { cid: cid.bytes, priority: 1, wantType: what === 'block' ? 'WantBlock' : 'WantHave', sendDontHave: true })
  }

  /**
   * A block is not wanted any more. A peer that has been asked for it otherwise takes
   * a later want for the same one, and does not answer.
   */
  async cancel (cid: CID, peer: PeerId): Promise<void> {
    await this.#send(cid, peer, { cid: cid.bytes, priority: 1, cancel: true })
  }

  /** With all that goes to the same peer at this time. Of what is said of one block the last holds. */
  async #send (cid: CID, peer: PeerId, entry: Entry): Promise<void> {
    const id = peer.toString()
    const key = base64.encode(cid.multihash.bytes)
    let batch = this.#batches.get(id)

    // what was wanted before is forgotten, and is wanted again then
    if (batch == null || (entry.cancel !== true && batch.wantlist.get(key)?.cancel === true)) {
      const wantlist: Batch['wantlist'] = new Map()

      batch = { wantlist, sent: this.#sendLater(peer, wantlist, batch?.sent) }
      this.#batches.set(id, batch)
    }

    batch.wantlist.set(key, entry)

    return batch.sent
  }

  async #sendLater (peer: PeerId, wantlist: Batch['wantlist'], before?: Promise<void>): Promise<void> {
    await Promise.allSettled([delay(GATHER_TIME), before])

    if (this.#batches.get(peer.toString())?.wantlist === wantlist) {
      this.#batches.delete(peer.toString())
    }

    await this.#bitswap.network.sendMessage(peer, { full: false, pendingBytes: 0, wantlist, blocks: new Map(), blockPresences: new Map() })
  }
}

function bitswapOf (broker: unknown): Bitswap {
  const bitswap = (broker as { bitswap?: Partial<Bitswap> } | undefined)?.bitswap

  if (typeof bitswap?.wantList?.peers?.keys !== 'function' || typeof bitswap.network?.sendMessage !== 'function') {
    throw new NodeError('@helia/bitswap is of a version that this ipfsz does not know')
  }

  return bitswap as Bitswap
}
