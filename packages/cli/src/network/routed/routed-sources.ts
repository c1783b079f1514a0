import { NotFoundError } from '@ipfsz/core'
import { createPublicFetch } from './public-fetch.ts'
import { RoutedSource } from './routed-source.ts'
import type { Router } from './router.ts'
import type { RoutedSourceInit } from './routed-source.ts'
import type { PublicFetchInit } from './public-fetch.ts'
import type { GatewaySourcesInit } from '../gateway-sources.ts'
import type { MakeSource } from '../planned-source.ts'
import type { GatewayPool } from '@ipfsz/core/http'

export interface RoutedSourcesInit
  extends PublicFetchInit, GatewaySourcesInit, Pick<RoutedSourceInit, 'headStart'> {
  routers: readonly Router[]
  /** URLs of gateways that are asked anyway. */
  others: readonly string[]
  /**
   * Whether another source knows better why a block is missing, if no gateway is found.
   *
   * @default false
   */
  isHint?: boolean | undefined
}

/**
 * What fetches from the HTTP gateways that routers list for a root. Loads the client, and asks no router.
 *
 * @throws {InvalidGatewayUrlError} one of `others` is no gateway
 */
export async function routedSources (init: RoutedSourcesInit): Promise<MakeSource> {
  const { routers, isOnlySource, singleBlocks, headStart, allowLocal = false, decorate = fetch => fetch } = init
  const isHint = init.isHint === true
  const { GatewayPool, GatewaysFailedError, HttpSource, parseGatewayUrl } = await import('@ipfsz/core/http')
  const others = init.others.map(url => parseGatewayUrl(url).href)
  const all: GatewayPool = new GatewayPool([])
  const fetch = decorate(createPublicFetch(init))

  return (root, plan) => {
    const pool: GatewayPool = new GatewayPool([], all)

    return new RoutedSource({
      root,
      routers,
      allowLocal,
      isOnlySource,
      headStart,
      others,
      pool,
      http: new HttpSource({ root, plan, pool, fetch, isOnlySource, singleBlocks }),
      failed: (cid, failures) => isHint ? new NotFoundError(cid) : new GatewaysFailedError(cid, failures)
    })
  }
}
