import { setTimeout as delay } from 'node:timers/promises'
import { NotFoundError, unmark } from '@ipfsz/core'
import { GatewaysFailedError, HttpSource } from '@ipfsz/core/http'
import { messageOf } from '@ipfsz/utils/message-of'
import { raceSignal } from 'race-signal'
import { RouterError } from '../../errors.ts'
import type { PublicFetchInit } from './public-fetch.ts'
import type { GatewaySourcesInit } from './gateway-sources.ts'
import type { Fetch, GatewayBlock, GatewayPool, ReadPlan, SourceFetchOptions } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** Maximum number of gateways from routing for one root: otherwise, anyone could cause any number of requests. */
const MAX_GATEWAYS = 8
/** How many of the failures are told. */
const MAX_FAILURES = 8
/** How long routing may take, in milliseconds. */
const LONGEST_SEARCH = 10_000
/** How long blocks wait for it if peers can be asked, in milliseconds. */
const DEFAULT_HEAD_START = 2000

/** Names the addresses of those who have what is below a root. */
export interface Router {
  /** For messages. */
  name: string
  /** Yields multiaddrs as they come. Nothing of them is checked. */
  find: (root: CID, signal: AbortSignal) => AsyncIterable<string>
}

export interface RoutedSourceInit extends GatewaySourcesInit, PublicFetchInit {
  routers: readonly Router[]
  /** URLs of gateways that are asked anyway. */
  others: readonly string[]
  /**
   * How long blocks wait for routing if there are peers to ask, in milliseconds.
   *
   * @default 2000
   */
  headStart?: number | undefined
  /**
   * Whether another source knows better why a block is missing, if no gateway is found.
   *
   * @default false
   */
  isHint?: boolean | undefined
}

/** Fetches the blocks below a root from the gateways that routers name. The first block starts the search for them. */
export class RoutedSource extends HttpSource {
  readonly #root: CID
  readonly #init: RoutedSourceInit
  readonly #pool: GatewayPool
  readonly #failures: Error[] = []
  /** Resolves when there is a gateway, or none is waited for any longer. */
  #ready: Promise<unknown> | undefined

  /** @param read - what is read. Its pool has no gateways: those that are found are added */
  constructor (
    init: RoutedSourceInit,
    read: { root: CID, plan: ReadPlan | undefined, pool: GatewayPool, fetch: Fetch }
  ) {
    const { root, pool } = read
    super({ ...init, ...read })
    this.#root = root
    this.#init = init
    this.#pool = pool
  }

  override async fetch (cid: CID, options: SourceFetchOptions = {}): Promise<GatewayBlock> {
    await raceSignal(this.#ready ??= this.#search(), options.signal)
    this.closed.signal.throwIfAborted()

    if (this.#pool.gateways.length === 0) {
      throw this.#init.isHint === true ? new NotFoundError(cid) : new GatewaysFailedError(cid, this.#failures)
    }

    return super.fetch(cid, options)
  }

  async #search (): Promise<unknown> {
    const { routers, isOnlySource, headStart = DEFAULT_HEAD_START } = this.#init
    const found = Promise.withResolvers<void>()
    const searched = Promise.all(routers.map(async router => this.#ask(router, found.resolve)))
    const waits: Array<Promise<unknown>> = [found.promise, searched]

    return Promise.race(isOnlySource ? waits : [...waits, delay(headStart, undefined, { ref: false })])
  }

  /** Ask a router. Never rejects. */
  async #ask (router: Router, onFound: () => void): Promise<void> {
    const { others, allowLocal = false } = this.#init
    const pool = this.#pool
    const timeout = AbortSignal.timeout(LONGEST_SEARCH)
    const signal = AbortSignal.any([timeout, this.closed.signal])
    const before = this.#failures.length

    try {
      const { httpUrl } = await import('./http-address.ts')
      signal.throwIfAborted()

      for await (const address of router.find(unmark(this.#root), signal)) {
        try {
          const url = pool.gateways.length < MAX_GATEWAYS ? httpUrl(address, allowLocal) : undefined

          if (url != null && !others.includes(url.href)) {
            pool.add(url)
            onFound()
          }
        } catch (err) {
          this.#fail(err as Error)
        }

        if (pool.gateways.length >= MAX_GATEWAYS) {
          return
        }
      }

      if (pool.gateways.length === 0 && this.#failures.length === before) {
        this.#fail(new RouterError(router.name, `lists no HTTP gateway for ${this.#root}`))
      }
    } catch (err) {
      const failure = err instanceof SyntaxError ? 'sent a response that is not JSON' : messageOf(err)
      const reason = timeout.aborted ? `did not answer within ${LONGEST_SEARCH / 1000} s` : failure
      this.#fail(new RouterError(router.name, reason, { cause: err }))
    }
  }

  #fail (err: Error): void {
    if (this.#failures.length < MAX_FAILURES) {
      this.#failures.push(err)
    }
  }
}
