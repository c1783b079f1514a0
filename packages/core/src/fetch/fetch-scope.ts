import { unmark } from '../marker.ts'
import type { CID } from 'multiformats/cid'

/** The most peers that are remembered, and that are looked for. */
const MAX_PROVIDERS = 8

/** Finds who has something, as `helia.routing` does. */
export interface ProviderRouting {
  findProviders (cid: CID, options?: { signal?: AbortSignal }): AsyncIterable<{ id: CID }>
}

/** What one call fetches: blocks below one root, and who may have them. */
export class FetchScope {
  /** When a block of it arrived. */
  lastArrival = Number.NEGATIVE_INFINITY
  readonly #root: CID
  readonly #routing: ProviderRouting | undefined
  readonly #providers = new Map<string, CID>()
  #searching = false

  constructor (root: CID, routing?: ProviderRouting) {
    this.#root = root
    this.#routing = routing
  }

  /** Those that blocks came from, and those that say to have the root. */
  get providers (): CID[] {
    return [...this.#providers.values()]
  }

  /** Remember who a block came from. */
  add (provider: CID): void {
    if (this.#providers.size < MAX_PROVIDERS) {
      this.#providers.set(provider.toString(), provider)
    }
  }

  /**
   * Look for those who have the root, in the background. Who has only blocks of a
   * file is often told of by nobody, and a peer that went away has to be replaced.
   */
  search (signal: AbortSignal): void {
    if (this.#routing != null && !this.#searching && this.#providers.size < MAX_PROVIDERS) {
      this.#searching = true
      // where nobody is found there are still those that are connected
      this.#search(this.#routing, signal).catch(() => {}).finally(() => { this.#searching = false })
    }
  }

  async #search (routing: ProviderRouting, signal: AbortSignal): Promise<void> {
    for await (const { id } of routing.findProviders(unmark(this.#root), { signal })) {
      this.add(id)

      if (this.#providers.size >= MAX_PROVIDERS) {
        return
      }
    }
  }
}
