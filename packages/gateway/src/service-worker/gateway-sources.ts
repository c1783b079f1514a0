import { GatewayPool, HttpSource } from '@ipfsz/core/http'
import type { BlockSource, SourceBlock, SourceOptions } from '@ipfsz/core'
import type { ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** After how long the responses below a root are ended that nobody reads, in milliseconds. */
const IDLE = 5000

/** Maximum number of roots whose responses stay open while they are not read. */
const MAX_IDLE = 4

/** A block that a gateway has sent. */
export interface FetchedBlock {
  cid: CID
  /** The root of the request that it is for, plain. */
  root: CID
  size: number
}

/** What fetches below one root. */
interface Open {
  source: HttpSource
  /** Blocks that are waited for. */
  wanted: number
  timer?: ReturnType<typeof setTimeout>
}

/** Fetches blocks from trustless gateways. All requests below one root share its responses. */
export class GatewaySources {
  readonly #gateways: readonly string[]
  readonly #stallTimeout: number
  readonly #onBlock: ((block: FetchedBlock) => void) | undefined
  #pool: GatewayPool
  /** By root. The one that was used last is last. */
  readonly #open = new Map<string, Open>()

  /**
   * @param stallTimeout - milliseconds that a gateway may take to answer
   * @throws {InvalidGatewayUrlError}
   */
  constructor (gateways: readonly string[], stallTimeout: number, onBlock?: (block: FetchedBlock) => void) {
    this.#gateways = gateways
    this.#stallTimeout = stallTimeout
    this.#onBlock = onBlock
    this.#pool = new GatewayPool(gateways)
  }

  /**
   * Say what is about to be read below a root, for a new request. If the root block has to be fetched, one response
   * then brings all of it.
   *
   * @param root - plain
   */
  plan (root: CID, plan: ReadPlan): void {
    const key = root.toString()
    this.#renew()

    if (!this.#open.has(key)) {
      this.#release(key, this.#start(key, root, plan))
    }
  }

  /** @param root - plain */
  below (root: CID): BlockSource {
    return {
      fetch: async (cid, options) => this.#fetch(cid, root, options)
    }
  }

  /** A gateway that sent wrong bytes is not asked again. Once none is left, whoever tries again may ask all of them. */
  #renew (): void {
    if (this.#pool.pause(() => false) === Number.POSITIVE_INFINITY) {
      this.#pool = new GatewayPool(this.#gateways)
      this.#open.forEach((open, key) => { this.#close(key, open) })
    }
  }

  async #fetch (cid: CID, root: CID, { part, size, signal }: SourceOptions): Promise<SourceBlock> {
    const key = root.toString()
    const open = this.#open.get(key) ?? this.#start(key, root)

    clearTimeout(open.timer)
    open.wanted++
    this.#open.delete(key)
    this.#open.set(key, open)

    try {
      const block = await open.source.fetch(cid, { part, size, signal })
      this.#onBlock?.({ cid, root, size: block.bytes.byteLength })

      return block
    } finally {
      open.wanted--
      this.#release(key, open)
    }
  }

  #start (key: string, root: CID, plan?: ReadPlan): Open {
    const source = new HttpSource({
      root,
      plan,
      pool: this.#pool,
      stallTimeout: this.#stallTimeout,
      // offline, a gateway that fails is not waited for
      isOnlySource: navigator.onLine,
      // blocks are kept once they are checked: the browser would keep wrong bytes too, and give them back for ever
      fetch: async (url, options) => fetch(url, { ...options, cache: 'no-store' })
    })
    const open = { source, wanted: 0 }
    this.#open.set(key, open)

    return open
  }

  /** End responses that nobody reads: after a while, or now if they are many. */
  #release (key: string, open: Open): void {
    if (open.wanted === 0) {
      clearTimeout(open.timer)
      open.timer = setTimeout(() => { this.#close(key, open) }, IDLE)
    }

    const idle = [...this.#open].filter(([, { wanted }]) => wanted === 0)

    for (const [key, open] of idle.slice(0, -MAX_IDLE)) {
      this.#close(key, open)
    }
  }

  #close (key: string, { source, timer }: Open): void {
    clearTimeout(timer)
    source.close()
    this.#open.delete(key)
  }
}
