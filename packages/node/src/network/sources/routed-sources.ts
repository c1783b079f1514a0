import { GatewayPool, parseGatewayUrl } from '@ipfsz/core/http'
import { delegatedRouter } from './ask-router.ts'
import { RoutedSource } from './routed-source.ts'
import type { Network } from '../network.ts'
import type { RoutedSourceInit, Router } from './routed-source.ts'
import type { MakeSource } from './gateway-sources.ts'
import type { Fetch } from '@ipfsz/core/http'

type Init = Omit<RoutedSourceInit, 'headStart' | 'isHint' | 'routers'>

/** How long routing over the DHT may take, in milliseconds: peers are asked meanwhile. */
const DHT_HEAD_START = 10_000

/**
 * What fetches from the gateways that delegated routers list. Asks no router.
 *
 * @param urls - of the routers
 * @returns undefined if there are none
 * @throws {UsageError} a text is not the URL of a router
 */
export function delegatedSources (urls: readonly string[], init: Init): MakeSource | undefined {
  return urls.length === 0 ? undefined : routedSources({ ...init, routers: urls.map(delegatedRouter) })
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

/**
 * What fetches from the HTTP gateways that routers name for a root.
 *
 * @throws {InvalidGatewayUrlError} one of `others` is no gateway
 */
export function routedSources ({ decorate = fetch => fetch, ...init }: RoutedSourceInit): MakeSource {
  const others = init.others.map(url => parseGatewayUrl(url).href)
  // what is known of a gateway, all roots share
  const all = new GatewayPool([])
  let loading: Promise<Fetch> | undefined
  const load = async (): Promise<Fetch> => decorate((await import('./public-fetch.ts')).createPublicFetch(init))
  const fetch: Fetch = async (...args) => (await (loading ??= load()))(...args)

  return (root, plan) => new RoutedSource({ ...init, others }, { root, plan, pool: new GatewayPool([], all), fetch })
}
