import { DEFAULT_STALL_TIMEOUT } from '@ipfsz/core'
import { parseRouterUrl } from './ask-router.ts'
import { createPublicFetch } from './public-fetch.ts'
import { RoutedSource } from './routed-source.ts'
import type { RoutedSourceInit } from './routed-source.ts'
import type { PublicFetchInit } from './public-fetch.ts'
import type { GatewayPool, HttpSource, ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

export interface RoutedGatewaysInit
  extends PublicFetchInit, Pick<RoutedSourceInit, 'headStart' | 'isOnlySource' | 'others'> {
  /** URLs of delegated routers. */
  routers: readonly string[]
}

/** The HTTP gateways that routers name for the roots of one command. */
export class RoutedGateways {
  readonly #makeSource: (root: CID, plan: ReadPlan | undefined) => RoutedSource
  readonly #sources: RoutedSource[] = []

  private constructor (makeSource: (root: CID, plan: ReadPlan | undefined) => RoutedSource) {
    this.#makeSource = makeSource
  }

  /**
   * Loads the client. Asks no router.
   *
   * @throws {UsageError} a text is not the URL of a router
   */
  static async open (init: RoutedGatewaysInit): Promise<RoutedGateways> {
    const { routers: texts, isOnlySource, headStart, others, allowLocal = false } = init
    const routers = texts.map(parseRouterUrl)

    const { GatewayPool, GatewaysFailedError, HttpSource, parseGatewayUrl } = await import('@ipfsz/core/http')
    const all: GatewayPool = new GatewayPool([])
    const fetch = createPublicFetch(init)

    return new RoutedGateways((root, plan) => {
      const pool: GatewayPool = new GatewayPool([], all)
      const http: HttpSource = new HttpSource({
        root,
        plan,
        pool,
        fetch,
        isOnlySource,
        // less than the time after which peers are asked for the same block
        stallTimeout: isOnlySource ? undefined : DEFAULT_STALL_TIMEOUT / 2
      })

      return new RoutedSource({
        root,
        routers,
        allowLocal,
        isOnlySource,
        headStart,
        pool,
        http,
        others: others.map(url => parseGatewayUrl(url).href),
        failed: (cid, failures) => new GatewaysFailedError(cid, failures)
      })
    })
  }

  /** What fetches the blocks below a root. */
  source (root: CID, plan: ReadPlan | undefined): RoutedSource {
    const source = this.#makeSource(root, plan)
    this.#sources.push(source)

    return source
  }

  close (): void {
    this.#sources.forEach(source => { source.close() })
  }
}
