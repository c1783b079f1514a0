import type { Network } from '../network.ts'
import type { MakeSource } from '../planned-source.ts'
import type { RoutedSourcesInit } from './routed-sources.ts'

type Init = Omit<RoutedSourcesInit, 'headStart' | 'isHint' | 'routers'>

/** How long routing over the DHT may take, in milliseconds: peers are asked meanwhile. */
const DHT_HEAD_START = 10_000

/**
 * What fetches from the gateways that delegated routers list. The code is loaded only if there are any.
 *
 * @param urls - of the routers
 * @returns undefined if there are none
 * @throws {UsageError} a text is not the URL of a router
 */
export async function delegatedSources (urls: readonly string[], init: Init): Promise<MakeSource | undefined> {
  if (urls.length === 0) {
    return undefined
  }

  const { delegatedRouter } = await import('./router.ts')
  const { routedSources } = await import('./routed-sources.ts')

  return routedSources({ ...init, routers: urls.map(delegatedRouter) })
}

/** What fetches from the gateways that providers advertise in the DHTs. Loads its code. */
export async function dhtSources (
  network: () => Promise<Pick<Network, 'findProviders'>>,
  init: Omit<Init, 'isOnlySource'>
): Promise<MakeSource> {
  const { dhtRouter } = await import('./router.ts')
  const { routedSources } = await import('./routed-sources.ts')
  const routers = [dhtRouter(network)]

  return routedSources({ ...init, routers, isOnlySource: false, isHint: true, headStart: DHT_HEAD_START })
}
