import { base64 } from 'multiformats/bases/base64'
import { keyOf } from '../dag-walk.ts'
import { NodeError } from '../errors.ts'
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
  signal: AbortSignal
}

/** A message as its queue has it, by multihashes in base64. */
interface Message {
  full: boolean
  pendingBytes: number
  wantlist: Map<string, { cid: Uint8Array, priority: number, cancel: boolean }>
  blocks: Map<string, unknown>
  blockPresences: Map<string, unknown>
}

/**
 * What is used of Helia's Bitswap besides its public interface. That one sends each
 * want to every peer, so that all who have a block send it.
 */
interface Bitswap {
  network: {
    sendMessage (peer: PeerId, message: Message, options: SendOptions): Promise<unknown>
    addEventListener (type: string, listener: (event: CustomEvent<PeerId>) => void): void
  }
  wantList: {
    /** The connected peers that speak Bitswap. */
    peers: { keys (): Iterable<PeerId> }
    wantSessionBlock (cid: CID, peer: PeerId, options: SendOptions): Promise<unknown>
    wantSessionPresence (cid: CID, peer: PeerId, options: SendOptions): Promise<unknown>
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
  async send (cid: CID, peer: PeerId, what: 'block' | 'presence', signal: AbortSignal): Promise<void> {
    const { wantList } = this.#bitswap

    await (what === 'block' ? wantList.wantSessionBlock(cid, peer, { signal }) : wantList.wantSessionPresence(cid, peer, { signal }))
  }

  /**
   * A block is not wanted any more. A peer that has been asked for it otherwise takes
   * a later want for the same one, and does not answer.
   */
  async cancel (cid: CID, peer: PeerId, signal: AbortSignal): Promise<void> {
    const wantlist = new Map([[base64.encode(cid.multihash.bytes), { cid: cid.bytes, priority: 1, cancel: true }]])

    await this.#bitswap.network.sendMessage(peer, { full: false, pendingBytes: 0, wantlist, blocks: new Map(), blockPresences: new Map() }, { signal })
  }
}

function bitswapOf (broker: unknown): Bitswap {
  const bitswap = (broker as { bitswap?: Partial<Bitswap> } | undefined)?.bitswap

  if (typeof bitswap?.wantList?.wantSessionBlock !== 'function' || typeof bitswap.wantList.wantSessionPresence !== 'function' || typeof bitswap.network?.sendMessage !== 'function') {
    throw new NodeError('@helia/bitswap is of a version that this ipfsz does not know')
  }

  return bitswap as Bitswap
}
