import { FetchStalledError } from '@ipfsz/core'
import type { FetchOptions, Network } from '../network.ts'
import type { BlockSource, SourceBlock, SourceOptions } from '@ipfsz/core'
import type { ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** What the sources of one command know of each other's searches. */
export class PeerSearches {
  /** Whether a search ended with no block and no peer. Searching again for another root would end the same way. */
  alone = Promise.resolve(false)
  /** How long the last search waited in vain, in milliseconds. */
  waited = 0
}

/** What a source needs of other nodes. */
export type PeerNetwork = Pick<Network, 'fetch' | 'peers' | 'providerCount'>

export interface PeerSourceInit {
  /** Opens the network. Called when the first block is missing. */
  network: () => Promise<PeerNetwork>
  /** The root whose providers are asked for all blocks below it. */
  root: CID
  /** What will be read below the root. */
  plan?: ReadPlan | undefined
  /**
   * Whether the network stores blocks in the repo.
   *
   * @default true
   */
  store?: boolean
  /** The ids of the peers that the user named: asked for once the network is open. */
  named?: (() => readonly string[]) | undefined
  /** Called with the id of a peer that lacks a block. */
  onLacks?: ((peer: string, cid: CID) => void) | undefined
  /** With other sources of the same command. */
  searches?: PeerSearches
}

/**
 * Fetches the blocks below a root from peers. It searches for peers until nothing has arrived for the timeout. After
 * that it asks only known peers: otherwise thousands of lost blocks would each take the timeout.
 */
export class PeerSource implements BlockSource {
  readonly #init: PeerSourceInit
  readonly #searches: PeerSearches
  #search: FetchOptions['search'] = 'all'
  /** That of the last fetch. */
  #searched: FetchOptions['search']
  /** Whether the specified peers lacked a block, and no other can be found. */
  #isAlone = false
  #opened: PeerNetwork | undefined
  #plan: ReadPlan | undefined

  constructor (init: PeerSourceInit) {
    this.#init = init
    this.#plan = init.plan
    this.#searches = init.searches ?? new PeerSearches()
  }

  async fetch (cid: CID, { size, part, signal }: SourceOptions): Promise<SourceBlock> {
    const { root, store = true, onLacks } = this.#init
    const network = this.#opened = await this.#init.network()
    const named = this.#init.named?.() ?? []
    const isStillAlone = this.#search === 'all' && await this.#searches.alone && await isAlone(network)
    const search = isStillAlone ? 'lost' : this.#search

    signal.throwIfAborted()
    this.#searched = search

    try {
      const block = await network.fetch(cid, {
        root,
        size,
        part,
        plan: this.#plan,
        search,
        store,
        signal,
        ...named.length === 0 ? {} : { named },
        ...onLacks == null ? {} : { onLacks: peer => { onLacks(peer, cid) } }
      })

      if (this.#search === 'none') {
        this.#search = 'lost'
      }

      return { ...block, stored: store }
    } catch (err) {
      if (!(err instanceof Error && err.name === 'NotFoundError')) {
        throw err
      }

      if (search === 'all') {
        this.#isAlone = true
        this.#search = 'lost'
      }

      if (this.#isAlone) {
        throw new FetchStalledError(cid, 0, { asked: named.length || (await network.peers()).length, cause: err })
      }

      const providers = await network.providerCount(root)

      throw new FetchStalledError(cid, this.#searches.waited, { providers, cause: err })
    }
  }

  /** See `HttpSource`. */
  dropPlan (): void {
    this.#plan = undefined
  }

  /** @returns undefined: no peer was asked */
  async gaveUp (_: CID, time: number): Promise<number | undefined> {
    if (this.#opened == null) {
      return undefined
    }

    this.#search = this.#searched === 'all' ? 'lost' : 'none'
    this.#searches.waited = time
    this.#searches.alone = isAlone(this.#opened)

    return this.#opened.providerCount(this.#init.root)
  }
}

/** Whether the network reports that no peer is connected. */
async function isAlone (network: Pick<Network, 'peers'>): Promise<boolean> {
  return network.peers().then(peers => peers.length === 0, () => false)
}
