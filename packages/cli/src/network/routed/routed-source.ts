import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@ipfsz/codecs/internal'
import { NotFoundError, unmark } from '@ipfsz/core'
import { raceSignal } from 'race-signal'
import { RouterError } from '../../errors.ts'
import type { GatewaySourcesInit, PlannedSource } from '../gateway-sources.ts'
import type { SourceBlock, SourceOptions } from '@ipfsz/core'
import type { GatewayPool, HttpSource, ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** The most gateways that routing may name for one root: a stranger decides how many requests are made. */
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

export interface RoutedSourceInit extends Pick<GatewaySourcesInit, 'isOnlySource'> {
  routers: readonly Router[]
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

/** What asks the gateways that routing names for one root. */
export interface RoutedGateways {
  /** Empty at first. */
  pool: GatewayPool
  http: HttpSource
  /**
   * The URL of an address that may be asked. Undefined: it is no gateway, or one that is asked anyway.
   *
   * @throws {PrivateAddressError}
   */
  urlOf: (address: string) => URL | undefined
  /** Makes the error for a block that is not sent. */
  failed: (cid: CID, failures: readonly Error[]) => Error
}

/** Loads the client of gateways: called when a block is first asked for. */
export type LoadGateways = () => Promise<(root: CID, plan: ReadPlan | undefined) => RoutedGateways>

/** Fetches the blocks below a root from the gateways that routers name. The first block starts the search for them. */
export class RoutedSource implements PlannedSource {
  readonly #root: CID
  readonly #init: RoutedSourceInit
  readonly #load: LoadGateways
  readonly #closed = new AbortController()
  readonly #failures: Error[] = []
  #plan: ReadPlan | undefined
  /** Once a block was asked for. */
  #gateways: RoutedGateways | undefined
  /** Resolves when there is a gateway, or none is waited for any longer. */
  #ready: Promise<RoutedGateways> | undefined

  constructor (root: CID, plan: ReadPlan | undefined, init: RoutedSourceInit, load: LoadGateways) {
    this.#root = root
    this.#plan = plan
    this.#init = init
    this.#load = load
  }

  /**
   * @throws {GatewaysFailedError} no gateway sends it, or routing names none
   */
  async fetch (cid: CID, options: SourceOptions): Promise<SourceBlock> {
    const { pool, http, failed } = await raceSignal(this.#ready ??= this.#search(), options.signal)

    if (pool.gateways.length === 0) {
      throw this.#init.isHint === true ? new NotFoundError(cid) : failed(cid, this.#failures)
    }

    return http.fetch(cid, options)
  }

  /** See `HttpSource`. */
  dropPlan (): void {
    this.#plan = undefined
    this.#gateways?.http.dropPlan()
  }

  close (): void {
    this.#closed.abort()
    this.#gateways?.http.close()
  }

  async #search (): Promise<RoutedGateways> {
    const { routers, isOnlySource, headStart = DEFAULT_HEAD_START } = this.#init
    const make = await this.#load()
    this.#closed.signal.throwIfAborted()
    const gateways = this.#gateways = make(this.#root, this.#plan)

    const found = Promise.withResolvers<void>()
    const searched = Promise.all(routers.map(async router => this.#ask(router, gateways, found.resolve)))
    const waits: Array<Promise<unknown>> = [found.promise, searched]

    await Promise.race(isOnlySource ? waits : [...waits, delay(headStart, undefined, { ref: false })])

    return gateways
  }

  /** Ask a router. Never rejects. */
  async #ask (router: Router, { pool, urlOf }: RoutedGateways, onFound: () => void): Promise<void> {
    const timeout = AbortSignal.timeout(LONGEST_SEARCH)
    const signal = AbortSignal.any([timeout, this.#closed.signal])
    const before = this.#failures.length

    try {
      for await (const address of router.find(unmark(this.#root), signal)) {
        try {
          const url = pool.gateways.length < MAX_GATEWAYS ? urlOf(address) : undefined

          if (url != null) {
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
      const failure = err instanceof SyntaxError ? 'answered with something else than JSON' : messageOf(err)
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
