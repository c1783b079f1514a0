import * as raw from 'multiformats/codecs/raw'
import { raceSignal } from 'race-signal'
import { blockKey } from '../../dag/block-key.ts'
import { STALL_CHECK_INTERVAL } from '../../constants.ts'
import { NotFoundError } from '../../errors.ts'
import { unmark } from '../../marker.ts'
import { GatewayPool } from '../http/gateway-pool.ts'
import { HttpSource } from '../http/http-source.ts'
import { earlyBudget, MAX_PEERS } from './limits.ts'
import { peerIdOf, peerUrl } from './peer-url.ts'
import type { EarlyBudget } from '../http/early-blocks.ts'
import type { ReadPlan } from '../http/http-source.ts'
import type { GatewayRequest, GatewayResponse } from '../http/open-response.ts'
import type { BlockSource, SourceBlock, SourceOptions } from '../source.ts'
import type { CID } from 'multiformats/cid'

/** A peer that may serve its blocks over HTTP. */
export interface HttpPeer {
  /** Its peer id, as in `12D3KooW...`. */
  id: string
  /** Whether it is known to speak `HTTP_PROTOCOL`. Otherwise it has not said yet what it speaks. */
  isSure: boolean
}

export interface PeerFetchOptions extends SourceOptions {
  /**
   * What will be read below the root: a peer then sends it with one request. The first one counts.
   *
   * @default that of `PeerGatewaysInit`
   */
  plan?: ReadPlan | undefined
}

/** Peers that serve their blocks over HTTP, and how to ask them. */
export interface HttpPeers {
  /**
   * The connected peers that may have the blocks below a root, and serve them over HTTP. Called when there is something
   * to fetch, and again from time to time.
   */
  find (root: CID): Promise<readonly HttpPeer[]>

  /**
   * Send a GET request to a peer, as `fetch` does. A `Response` will do.
   *
   * @throws {UnsupportedProtocolError} it does not speak `HTTP_PROTOCOL`. It is not asked again
   */
  fetch (peerId: string, url: URL, init: RequestInit): Promise<GatewayResponse>
}

export interface PeerGatewaysInit {
  /** The root, plain or marked. */
  root: CID
  peers: HttpPeers
  /** What will be read below the root: a peer then sends it with one request, a file of one block too. */
  plan?: ReadPlan | undefined
  /**
   * What all that share it hold of blocks before they are asked for, and the maximum of that.
   *
   * @default of its own, at most 32 MiB
   */
  early?: EarlyBudget | undefined
  /**
   * The source that is asked next. It and a peer that may speak HTTP are asked for the root at the same time. Without
   * it, no such peer is asked for the root.
   */
  next?: Pick<BlockSource, 'fetch'> | undefined
}

/**
 * Fetches files below a root from peers that serve CARs over HTTP, through libp2p: one response in place of a round
 * trip for every few blocks. Single blocks, and all that no such peer sends, are left to the next source, such as
 * Bitswap.
 *
 * That one fetches the root too, unless a peer is sure to speak HTTP: its answer tells who has the rest.
 */
export class PeerGateways implements BlockSource {
  readonly #init: PeerGatewaysInit & Required<Pick<PeerGatewaysInit, 'early'>>
  readonly #pool = new GatewayPool([])
  /** Those that turned out not to speak HTTP, and those that are sure to. */
  readonly #mute = new Set<string>()
  readonly #sure = new Set<string>()
  readonly #closed = new AbortController()
  #looked = Promise.resolve()
  /** When to look for peers again, on the clock of `performance.now`. */
  #lookAt = 0
  /** Whether the root was left to the next source. */
  #isRootElsewhere = false
  #http: HttpSource | undefined
  #isPlanned = false

  constructor ({ root, early = earlyBudget(), ...init }: PeerGatewaysInit) {
    this.#init = { ...init, root: unmark(root), early }
  }

  /**
   * @throws {NotFoundError} no such peer is known
   * @throws {GatewaysFailedError} none of them sends it, or it is a block alone
   */
  async fetch (cid: CID, { plan = this.#init.plan, ...options }: PeerFetchOptions): Promise<SourceBlock> {
    const { signal, part } = options
    const { root, next } = this.#init
    const isRoot = blockKey(cid) === blockKey(root)

    await raceSignal(this.#look(), signal)

    if (isRoot && this.#sure.size === 0) {
      this.#isRootElsewhere = true
      // with the root, the next source finds out who has it
      this.#lookAt = 0

      if (this.#hasPeers && next != null && plan != null && cid.code !== raw.code) {
        return this.#race(cid, options, plan, next)
      }

      throw new NotFoundError(cid)
    }

    if (!this.#hasPeers) {
      throw new NotFoundError(cid)
    }

    const http = this.#open(plan)

    if (this.#isRootElsewhere && part == null && plan != null && !this.#isPlanned) {
      // the root comes from elsewhere, and what is below with this response
      http.fetch(root, { signal: this.#closed.signal }).catch(() => {})
    }

    this.#isPlanned ||= plan != null

    return this.#fetch(http, cid, options)
  }

  close (): void {
    this.#closed.abort()
    this.#http?.close()
  }

  #open (plan: ReadPlan | undefined): HttpSource {
    return this.#http ??= new HttpSource({
      root: this.#init.root,
      plan,
      pool: this.#pool,
      early: this.#init.early,
      carsOnly: true,
      isOnlySource: false,
      fetch: async (url, init) => this.#ask(peerIdOf(url), url, init)
    })
  }

  async #fetch (http: HttpSource, cid: CID, options: SourceOptions): Promise<SourceBlock> {
    const block = await http.fetch(cid, options)

    return { ...block, sender: peerIdOf(new URL(block.sender)) }
  }

  /** Fetch the root from the first that sends it. The response to the plan goes on. */
  async #race (
    cid: CID,
    options: SourceOptions,
    plan: ReadPlan,
    next: Pick<BlockSource, 'fetch'>
  ): Promise<SourceBlock> {
    const won = new AbortController()
    const both = { ...options, signal: AbortSignal.any([options.signal, won.signal]) }

    this.#isPlanned = true

    try {
      return await Promise.any([this.#fetch(this.#open(plan), cid, both), next.fetch(cid, both)])
    } catch (err) {
      // the next one knows better why
      throw (err as AggregateError).errors[1]
    } finally {
      won.abort()
    }
  }

  get #hasPeers (): boolean {
    return this.#pool.gateways.length > this.#mute.size
  }

  async #ask (id: string, url: URL, init: GatewayRequest): Promise<GatewayResponse> {
    try {
      const response = await this.#init.peers.fetch(id, url, init)
      this.#sure.add(id)

      return response
    } catch (err) {
      if (err instanceof Error && err.name === 'UnsupportedProtocolError') {
        this.#mute.add(id)
      }

      throw err
    }
  }

  /**
   * Look for peers, until one is sure to speak HTTP, but not all the time. One block after the other waits for that, so
   * that they are asked for in the order of the file. Never rejects.
   */
  async #look (): Promise<void> {
    this.#looked = this.#looked.then(async () => this.#find()).catch(() => {})

    return this.#looked
  }

  async #find (): Promise<void> {
    if (this.#sure.size > 0 || performance.now() < this.#lookAt) {
      return
    }

    try {
      for (const { id, isSure } of await this.#init.peers.find(this.#init.root)) {
        if (this.#pool.gateways.length < MAX_PEERS) {
          this.#pool.add(peerUrl(id))
        }

        if (isSure) {
          this.#sure.add(id)
        }
      }
    } finally {
      this.#lookAt = performance.now() + STALL_CHECK_INTERVAL
    }
  }
}
