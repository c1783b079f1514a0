import { keyOf } from '../../dag-walk.ts'
import { NotFetchedError } from '../../errors.ts'
import { BlockRequest } from './block-request.ts'
import { SessionPeers } from './session-peers.ts'
import type { FetchedBlock } from '../network.ts'
import type { SessionPeersComponents } from './session-peers.ts'
import type { CID } from 'multiformats/cid'

/** Of so many blocks it is kept in mind who sent them. */
const MAX_ARRIVED = 1024

export interface BlockSessionOptions {
  /** The bytes of the block, where they are known. */
  size?: number | undefined
  signal: AbortSignal
  /** How long to wait for anything to arrive, in milliseconds. */
  timeout: number
}

/**
 * The blocks below one root. Each is asked of one peer, the one with the fewest
 * blocks to send, so that several peers work at one time and no block is sent
 * twice. A peer that goes away, has not got it or sends nothing is replaced.
 */
export class BlockSession {
  readonly #components: SessionPeersComponents
  readonly #peers: SessionPeers
  readonly #arriving = new Map<string, Promise<FetchedBlock>>()
  /** Who sent the last blocks, the oldest first. */
  readonly #arrived = new Map<string, string>()
  #lastArrival = 0
  /** When it was last used. */
  lastUsed = Date.now()

  constructor (root: CID, components: SessionPeersComponents) {
    this.#components = components
    this.#peers = new SessionPeers(root, components)
  }

  /** Whether something is being fetched. */
  get busy (): boolean {
    return this.#arriving.size > 0
  }

  /**
   * @throws {NotFetchedError} nothing arrived within the timeout
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
        // whoever asked first may have gone, or had less time
        if (!(err instanceof Error && (err.name === 'AbortError' || err.name === NotFetchedError.name))) {
          throw err
        }
      }
    }

    const fetched = this.#fetch(cid, options).finally(() => { this.#arriving.delete(key) })
    this.#arriving.set(key, fetched)

    return fetched
  }

  /** Who sent a block, where it came not long ago. */
  senderOf (cid: CID): string | undefined {
    return this.#arrived.get(keyOf(cid))
  }

  close (): void {
    this.#peers.close()
  }

  async #fetch (cid: CID, { size, signal, timeout }: BlockSessionOptions): Promise<FetchedBlock> {
    const started = Date.now()
    const request = new BlockRequest(cid, size, this.#peers, this.#components.wants)

    this.#peers.enter()

    try {
      for (;;) {
        signal.throwIfAborted()

        if (request.block != null) {
          this.#lastArrival = Date.now()
          this.#remember(keyOf(cid), request.block.peerId)

          return request.block
        }

        if (Date.now() - Math.max(started, this.#lastArrival) >= timeout) {
          throw new NotFetchedError(cid, timeout, this.#peers.size)
        }

        request.ask()
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
