import { unmark } from '../marker.ts'
import { StallDetector } from './stall-detector.ts'
import type { CID } from 'multiformats/cid'

/** Maximum number of providers that are remembered and looked for. */
const MAX_PROVIDERS = 8

/** Finds the providers of a CID, as `helia.routing` does. */
export interface ProviderRouting {
  findProviders (cid: CID, options?: { signal?: AbortSignal }): AsyncIterable<{ id: CID }>
}

/** The blocks that one call fetches below one root, and their possible providers. */
export class FetchScope {
  /** The blocks of this scope that arrive. */
  readonly arrivals = new StallDetector()
  readonly #root: CID
  readonly #routing: ProviderRouting | undefined
  readonly #providers = new Map<string, CID>()
  #searching = false

  constructor (root: CID, routing?: ProviderRouting) {
    this.#root = root
    this.#routing = routing
  }

  /** Plain. A call without a CID fails as a call, not when it is made. */
  get root (): CID {
    return unmark(this.#root)
  }

  /** Peers that sent blocks, and peers that advertise the root. */
  get providers (): CID[] {
    return [...this.#providers.values()]
  }

  /** Remember a peer that sent a block. */
  add (provider: CID): void {
    if (this.#providers.size < MAX_PROVIDERS) {
      this.#providers.set(provider.toString(), provider)
    }
  }

  /**
   * Look for providers of the root, in the background. Peers often advertise only the root
   * and not each block, and a peer that went away must be replaced.
   */
  search (signal: AbortSignal): void {
    if (this.#routing != null && !this.#searching && this.#providers.size < MAX_PROVIDERS) {
      this.#searching = true
      // if none is found, the connected peers can still be asked
      this.#search(this.#routing, signal).catch(() => {}).finally(() => { this.#searching = false })
    }
  }

  async #search (routing: ProviderRouting, signal: AbortSignal): Promise<void> {
    for await (const { id } of routing.findProviders(this.root, { signal })) {
      this.add(id)

      if (this.#providers.size >= MAX_PROVIDERS) {
        return
      }
    }
  }
}
