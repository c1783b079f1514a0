import { FetchStalledError } from '@ipfsz/core'
import { keyOf } from '../../dag/dag-walk.ts'
import { BlockRequest } from './block-request.ts'
import { SessionPeers } from './session-peers.ts'
import type { FetchedBlock } from '../network.ts'
import type { SessionComponents } from './session-components.ts'
import type { CID } from 'multiformats/cid'

/** The senders of this many blocks are remembered. */
const MAX_ARRIVED = 1024

export interface BlockSessionOptions {
  /** The bytes of the block, if known. */
  size?: number | undefined
  /** Whether peers are searched for, by default they are: otherwise only those that are known are asked. */
  search?: boolean | undefined
  signal: AbortSignal
  /** How long the session may go without any block arriving, in milliseconds. */
  timeout: number
}

/**
 * Fetches the blocks below one root. Each block is asked of one peer, the one with the fewest bytes
 * to send: all peers work, and no block is sent twice. If that peer disconnects, lacks the block
 * or stalls, another is asked.
 */
export class BlockSession {
  readonly #components: SessionComponents
  readonly #peers: SessionPeers
  readonly #arriving = new Map<string, Promise<FetchedBlock>>()
  /** The senders of the last blocks by key, the oldest first. */
  readonly #arrived = new Map<string, string>()
  #lastArrival = 0
  /** Whether nothing has arrived since the last search for peers. */
  #inVain = false
  /** When the session was last used, in milliseconds since the epoch. */
  lastUsed = Date.now()

  constructor (root: CID, components: SessionComponents) {
    this.#components = components
    this.#peers = new SessionPeers(root, components)
  }

  /** Whether a fetch is under way. */
  get busy (): boolean {
    return this.#arriving.size > 0
  }

  /**
   * @throws {FetchStalledError} no block arrived within the timeout; or no known peer can send
   *   it, and `search` is false
   */
  async fetch (cid: CID, options: BlockSessionOptions): Promise<FetchedBlock> {
    const key = keyOf(cid)

    for (;;) {
      options.signal.throwIfAborted()
      const arriving = this.#arriving.get(key)

      if (arriving == null) {
        break
      }

      try {
        return await arriving
      } catch (err) {
        // the first caller was aborted, or had a shorter timeout: try again for this one
        if (!(err instanceof Error && (err.name === 'AbortError' || err.name === FetchStalledError.name))) {
          throw err
        }
      }
    }

    const fetched = this.#fetch(cid, options).finally(() => { this.#arriving.delete(key) })
    this.#arriving.set(key, fetched)

    return fetched
  }

  /** The peer id of the sender of a recent block. */
  senderOf (cid: CID): string | undefined {
    return this.#arrived.get(keyOf(cid))
  }

  close (): void {
    this.#peers.close()
  }

  async #fetch (cid: CID, { size, search = true, signal, timeout }: BlockSessionOptions): Promise<FetchedBlock> {
    const started = Date.now()
    const request = new BlockRequest(cid, size, this.#peers, this.#components.wants)

    this.#peers.enter()

    try {
      for (;;) {
        signal.throwIfAborted()

        if (request.block != null) {
          this.#lastArrival = Date.now()
          this.#inVain = false
          this.#remember(keyOf(cid), request.block.peerId)

          return request.block
        }

        if (Date.now() - Math.max(started, this.#lastArrival) >= timeout) {
          this.#inVain = true
          throw new FetchStalledError(cid, timeout, { providers: this.#peers.size })
        }

        // peers that sent something and went away are looked for again, once
        if (!request.ask(search || (this.#peers.areGone && !this.#inVain))) {
          throw new FetchStalledError(cid, timeout, { providers: this.#peers.size })
        }

        await request.wait(signal)
      }
    } finally {
      request.end()
      this.#peers.leave()
      this.lastUsed = Date.now()
    }
  }

  #remember (key: string, peerId: string): void {
    this.#arrived.set(key, peerId)

    if (this.#arrived.size > MAX_ARRIVED) {
      const [oldest] = this.#arrived.keys()
      this.#arrived.delete(oldest)
    }
  }
}
