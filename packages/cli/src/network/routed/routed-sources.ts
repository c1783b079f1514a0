import { RoutedSource } from './routed-source.ts'
import type { Network } from '../network.ts'
import type { LoadGateways, RoutedSourceInit, Router } from './routed-source.ts'
import type { PublicFetchInit } from './public-fetch.ts'
import type { GatewaySourcesInit, MakeSource } from '../gateway-sources.ts'
import type { GatewayPool } from '@ipfsz/core/http'

export interface RoutedSourcesInit extends RoutedSourceInit, PublicFetchInit, GatewaySourcesInit {
  /** URLs of gateways that are asked anyway. */
  others: readonly string[]
}

type Init = Omit<RoutedSourcesInit, 'headStart' | 'isHint' | 'routers'>

/** How long routing over the DHT may take, in milliseconds: peers are asked meanwhile. */
const DHT_HEAD_START = 10_000

/**
 * What fetches from the gateways that delegated routers list. Asks no router.
 *
 * @param urls - of the routers
 * @returns undefined if there are none
 * @throws {UsageError} a text is not the URL of a router
 */
export async function delegatedSources (urls: readonly string[], init: Init): Promise<MakeSource | undefined> {
  if (urls.length === 0) {
    return undefined
  }

  const { delegatedRouter } = await import('./ask-router.ts')

  return routedSources({ ...init, routers: urls.map(delegatedRouter) })
}

/** What fetches from the gateways that providers advertise in the DHTs. */
export function dhtSources (
  network: () => Promise<Pick<Network, 'findProviders'>>,
  init: Omit<Init, 'isOnlySource'>
): MakeSource {
  const routers = [dhtRouter(network)]

  return routedSources({ ...init, routers, isOnlySource: false, isHint: true, headStart: DHT_HEAD_START })
}

/** The DHTs: providers may advertise addresses of HTTP, too. */
export function dhtRouter (network: () => Promise<Pick<Network, 'findProviders'>>): Router {
  return {
    name: 'DHT',
    async * find (root, signal) {
      const opened = await network()

      for await (const { addresses } of opened.findProviders(root, signal)) {
        yield * addresses
      }
    }
  }
}

/** What fetches from the HTTP gateways that routers name for a root. Loads its code when a block is asked for. */
export function routedSources (init: RoutedSourcesInit): MakeSource {
  let loaded: ReturnType<LoadGateways> | undefined

  return (root, plan) => new RoutedSource(root, plan, init, async () => loaded ??= loadGateways(init))
}

/** @throws {InvalidGatewayUrlError} one of `others` is no gateway */
async function loadGateways (init: RoutedSourcesInit): ReturnType<LoadGateways> {
  const { isOnlySource, singleBlocks, allowLocal = false, decorate = fetch => fetch } = init
  const { GatewayPool, GatewaysFailedError, HttpSource, parseGatewayUrl } = await import('@ipfsz/core/http')
  const { httpUrl } = await import('./http-address.ts')
  const { createPublicFetch } = await import('./public-fetch.ts')
  const others = init.others.map(url => parseGatewayUrl(url).href)
  const all: GatewayPool = new GatewayPool([])
  const fetch = decorate(createPublicFetch(init))

  return (root, plan) => {
    const pool: GatewayPool = new GatewayPool([], all)

    return {
      pool,
      http: new HttpSource({ root, plan, pool, fetch, isOnlySource, singleBlocks }),
      urlOf (address) {
        const url = httpUrl(address, allowLocal)

        return url == null || others.includes(url.href) ? undefined : url
      },
      failed: (cid, failures) => new GatewaysFailedError(cid, failures)
    }
  }
}
