import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@ipfsz/codecs/internal'
import { unmark } from '@ipfsz/core'
import { raceSignal } from 'race-signal'
import { RouterError } from '../../errors.ts'
import { httpUrl } from './http-address.ts'
import type { Router } from './router.ts'
import type { PlannedSource } from '../planned-source.ts'
import type { SourceBlock, SourceOptions } from '@ipfsz/core'
import type { GatewayPool, HttpSource } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** The most gateways that routing may name for one root: a stranger decides how many requests are made. */
const MAX_GATEWAYS = 8
/** How many of the failures are told. */
const MAX_FAILURES = 8
/** How long routing may take, in milliseconds. */
const LONGEST_SEARCH = 10_000
/** How long blocks wait for it if peers can be asked, in milliseconds. */
const DEFAULT_HEAD_START = 2000

export interface RoutedSourceInit {
  root: CID
  routers: readonly Router[]
  allowLocal: boolean
  /** Whether there are no peers to ask. */
  isOnlySource: boolean
  /**
   * How long blocks wait for routing if there are peers to ask, in milliseconds.
   *
   * @default 2000
   */
  headStart?: number | undefined
  /** Where the gateways go. Empty at first. */
  pool: GatewayPool
  /** Asks the gateways of the pool. */
  http: HttpSource
  /** Gateways that are asked anyway. */
  others: readonly string[]
  /** Makes the error for a block that is not sent. */
  failed: (cid: CID, failures: readonly Error[]) => Error
}

/** Fetches the blocks below a root from the gateways that routers name. The first block starts the search for them. */
export class RoutedSource implements PlannedSource {
  readonly #init: RoutedSourceInit
  readonly #closed = new AbortController()
  readonly #failures: Error[] = []
  /** Resolves when there is a gateway, or none is waited for any longer. */
  #ready: Promise<unknown> | undefined

  constructor (init: RoutedSourceInit) {
    this.#init = init
  }

  /**
   * @throws {GatewaysFailedError} no gateway sends it, or routing names none
   */
  async fetch (cid: CID, options: SourceOptions): Promise<SourceBlock> {
    const { pool, http, failed } = this.#init

    await raceSignal(this.#ready ??= this.#search(), options.signal)

    if (pool.gateways.length === 0) {
      throw failed(cid, this.#failures)
    }

    return http.fetch(cid, options)
  }

  /** See `HttpSource`. */
  dropPlan (): void {
    this.#init.http.dropPlan()
  }

  close (): void {
    this.#closed.abort()
    this.#init.http.close()
  }

  async #search (): Promise<unknown> {
    const { routers, isOnlySource, headStart = DEFAULT_HEAD_START } = this.#init
    const found = Promise.withResolvers<void>()
    const searched = Promise.all(routers.map(async router => this.#ask(router, found.resolve)))
    const waits = [found.promise, searched]

    return Promise.race(isOnlySource ? waits : [...waits, delay(headStart, undefined, { ref: false })])
  }

  /** Ask a router. Never rejects. */
  async #ask (router: Router, onFound: () => void): Promise<void> {
    const { root, pool } = this.#init
    const timeout = AbortSignal.timeout(LONGEST_SEARCH)
    const signal = AbortSignal.any([timeout, this.#closed.signal])
    const before = this.#failures.length

    try {
      for await (const address of router.find(unmark(root), signal)) {
        this.#add(address)

        if (pool.gateways.length > 0) {
          onFound()
        }

        if (pool.gateways.length >= MAX_GATEWAYS) {
          return
        }
      }

      if (pool.gateways.length === 0 && this.#failures.length === before) {
        this.#fail(new RouterError(router.name, `lists no HTTP gateway for ${root}`))
      }
    } catch (err) {
      const reason = timeout.aborted ? `did not answer within ${LONGEST_SEARCH / 1000} s` : reasonOf(err)
      this.#fail(new RouterError(router.name, reason, { cause: err }))
    }
  }

  #add (address: string): void {
    const { pool, others, allowLocal } = this.#init

    try {
      const url = httpUrl(address, allowLocal)

      if (url != null && !others.includes(url.href) && pool.gateways.length < MAX_GATEWAYS) {
        pool.add(url)
      }
    } catch (err) {
      this.#fail(err as Error)
    }
  }

  #fail (err: Error): void {
    if (this.#failures.length < MAX_FAILURES) {
      this.#failures.push(err)
    }
  }
}

/** `fetch` says `fetch failed`, and has the reason as its cause. */
function reasonOf (err: unknown): string {
  const { cause } = err as Error

  if (err instanceof SyntaxError) {
    return 'answered with something else than JSON'
  }

  return cause instanceof Error ? `cannot be reached: ${messageOf(cause)}` : messageOf(err)
}
