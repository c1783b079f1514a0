import { isRefusal, NotFoundError } from '@ipfsz/core'
import { PeerGateways } from '@ipfsz/core/libp2p'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import { keyOf } from '../../dag/dag-walk.ts'
import { BlockRequest } from './block-request.ts'
import { onlyHttpPeer } from './http-peers.ts'
import { LINGER, SessionPeers } from './session-peers.ts'
import type { FetchOptions } from '../network.ts'
import type { SessionComponents } from './search-peers.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export type BlockSessionOptions =
  Pick<FetchOptions, 'named' | 'onLacks' | 'part' | 'plan' | 'search' | 'signal' | 'size'>

/**
 * Fetches the blocks below one root. Each block is asked of one peer, the one with the fewest bytes
 * to send: all peers work, and no block is sent twice. If that peer disconnects, lacks the block
 * or stalls, another is asked.
 *
 * A peer that is the only one to have them is asked over HTTP, if it speaks that. Bitswap brings what it does not send.
 */
export class BlockSession {
  readonly #components: SessionComponents
  readonly #peers: SessionPeers
  /** One that searches for peers may find what others cannot. */
  readonly #fetching = new SingleFlight<SourceBlock>()
  readonly #root: CID
  #http: PeerGateways | undefined
  #lingering: NodeJS.Timeout | undefined
  #search: FetchOptions['search']
  /** When the session was last used, in milliseconds since the epoch. */
  lastUsed = Date.now()

  constructor (root: CID, components: SessionComponents) {
    this.#root = root
    this.#components = components
    this.#peers = new SessionPeers(root, components)
  }

  /** Whether a fetch is under way. */
  get busy (): boolean {
    return !this.#fetching.isIdle
  }

  /** How many peers were found that may have the blocks. */
  get peerCount (): number {
    return this.#peers.size
  }

  /**
   * Waits until the signal aborts.
   *
   * @throws {NotFoundError} no known peer can send it, and none is searched for, or nobody else can be found
   */
  async fetch (cid: CID, options: BlockSessionOptions): Promise<SourceBlock> {
    const { onLacks, search = 'all', signal } = options
    const key = keyOf(cid)
    const unlisten = onLacks == null ? undefined : this.#peers.onLacks(key, id => { onLacks(id.toString()) })

    try {
      return await this.#fetching.run(
        `${search} ${key}`,
        async unneeded => this.#fetch(cid, { ...options, signal: unneeded }),
        signal
      )
    } finally {
      unlisten?.()
      this.#linger()
    }
  }

  close (): void {
    this.#closeHttp()
    this.#peers.close()
  }

  /** Fetch a block over HTTP, or else over Bitswap. */
  async #fetch (cid: CID, options: BlockSessionOptions): Promise<SourceBlock> {
    const { signal } = options
    clearTimeout(this.#lingering)
    this.#search = options.search
    this.#peers.named = options.named ?? []
    this.#http ??= new PeerGateways({
      root: this.#root,
      early: this.#components.early,
      peers: onlyHttpPeer(this.#components.libp2p, () => this.#peers.connected),
      next: {
        fetch: async (cid, { size, signal }) => this.#fetchBlock(cid, { size, signal, search: this.#search })
      }
    })

    try {
      return await this.#http.fetch(cid, { ...options, root: this.#root })
    } catch (err) {
      signal.throwIfAborted()

      if (!isRefusal(err)) {
        throw err
      }
    }

    return this.#fetchBlock(cid, options)
  }

  /** Close responses some time after the last fetch: they hold what has arrived early. */
  #linger (): void {
    if (!this.busy) {
      this.lastUsed = Date.now()
      clearTimeout(this.#lingering)
      this.#lingering = setTimeout(() => { this.#closeHttp() }, LINGER).unref()
    }
  }

  #closeHttp (): void {
    clearTimeout(this.#lingering)
    this.#http?.close()
    this.#http = undefined
  }

  async #fetchBlock (cid: CID, { size, search = 'all', signal }: BlockSessionOptions): Promise<SourceBlock> {
    const request = new BlockRequest(cid, size, this.#peers, this.#components.wants)

    try {
      for (;;) {
        signal.throwIfAborted()

        if (request.block != null) {
          return request.block
        }

        if (!request.ask(search === 'all' || (search === 'lost' && this.#peers.areGone))) {
          throw new NotFoundError(cid)
        }

        await request.wait(signal)
      }
    } finally {
      request.end()
    }
  }
}
