import { GatewayPool, parseGatewayUrl } from '@ipfsz/core/http'
import { delegatedRouter } from './ask-router.ts'
import { gatewaySources } from './gateway-sources.ts'
import { RoutedSource } from './routed-source.ts'
import type { Network } from '../network.ts'
import type { RoutedSourceInit, Router } from './routed-source.ts'
import type { MakeSource } from './gateway-sources.ts'
import type { Fetch } from '@ipfsz/core/http'

export interface HttpSourcesInit extends Pick<RoutedSourceInit, 'allowLocal' | 'decorate' | 'singleBlocks'> {
  /** URLs of gateways, as in `https://ipfs.example.com`. */
  gateways?: readonly string[] | undefined
  /** URLs of delegated routers, which list gateways for a root. */
  routers?: readonly string[] | undefined
  /** Opens the network. Missing: there are no peers to ask besides. */
  network?: (() => Promise<Pick<Network, 'findProviders'>>) | undefined
}

/** How long routing over the DHT may take, in milliseconds: peers are asked meanwhile. */
const DHT_HEAD_START = 10_000

/**
 * What fetches over HTTP. Asks nobody.
 *
 * @returns those to ask before peers, which are named or listed by routers, and those to ask after them, which
 * providers advertise in the DHTs
 * @throws {UsageError} a text is not the URL of a router
 */
export function httpSources (
  { gateways = [], routers = [], network, ...rest }: HttpSourcesInit
): { before: MakeSource[], after: MakeSource[] } {
  const init = { ...rest, others: gateways }
  const isLast = network == null
  const before = [
    gatewaySources(gateways, { ...rest, isOnlySource: isLast && routers.length === 0 }),
    routers.length === 0
      ? undefined
      : routedSources({ ...init, routers: routers.map(delegatedRouter), isOnlySource: isLast })
  ].filter(make => make != null)
  const after = isLast
    ? []
    : [routedSources({
      ...init, routers: [dhtRouter(network)], isOnlySource: false, isHint: true, headStart: DHT_HEAD_START
    })]

  return { before, after }
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
