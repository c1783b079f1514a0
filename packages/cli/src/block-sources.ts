import { GatewayAccess } from './network/gateway-access.ts'
import { PeerSearches, PeerSource } from './network/peer-source.ts'
import type { Network } from './network/network.ts'
import type { RoutedGateways, RoutedGatewaysInit } from './network/routed/routed-gateways.ts'
import type { BlockSource } from '@ipfsz/core'
import type { ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

interface BlockSourcesInit extends Pick<RoutedGatewaysInit, 'allowLocal'> {
  /** URLs of gateways. */
  gateways: readonly string[]
  /** URLs of delegated routers. */
  routers: readonly string[]
  /** Opens the network. Missing: there are no peers to ask. */
  network: (() => Promise<Network>) | undefined
}

/** The sources of the blocks below one root. */
interface RootSources {
  /** In the order in which they are asked. */
  sources: BlockSource[]
  /** Tell the gateways to send single blocks: much of what they were asked for is here already. */
  dropPlan: () => void
}

/** Where one command fetches blocks from: the gateways that it names, those that routers list, and then peers. */
export class BlockSources {
  readonly #gateways: GatewayAccess | undefined
  readonly #routed: RoutedGateways | undefined
  readonly #network: BlockSourcesInit['network']
  readonly #searches = new PeerSearches()

  private constructor (
    gateways: GatewayAccess | undefined,
    routed: RoutedGateways | undefined,
    network: BlockSourcesInit['network']
  ) {
    this.#gateways = gateways
    this.#routed = routed
    this.#network = network
  }

  /**
   * Asks none of them.
   *
   * @returns undefined if there are none
   * @throws {InvalidGatewayUrlError}
   * @throws {UsageError} a text is not the URL of a router
   */
  static async open (
    { gateways: urls, routers, network, allowLocal }: BlockSourcesInit
  ): Promise<BlockSources | undefined> {
    const hasPeers = network != null
    const gateways = await GatewayAccess.open(urls, { isOnlySource: !hasPeers && routers.length === 0 })
    const routed = await openRouted(routers, { allowLocal, others: urls, isOnlySource: !hasPeers })

    return gateways == null && routed == null && !hasPeers ? undefined : new BlockSources(gateways, routed, network)
  }

  /** @param plan - what will be read: gateways then send it with one request */
  below (root: CID, plan: ReadPlan | undefined): RootSources {
    const network = this.#network
    const planned = [this.#gateways, this.#routed]
      .map(gateways => gateways?.source(root, plan))
      .filter(source => source != null)
    const peers = network == null ? [] : [new PeerSource({ network, root, plan, searches: this.#searches })]
    const sources = [...planned, ...peers]

    return { sources, dropPlan: () => { sources.forEach(source => { source.dropPlan() }) } }
  }

  /** End all responses. The network stays open. */
  close (): void {
    this.#gateways?.close()
    this.#routed?.close()
  }
}

/** The code that asks routers is loaded only if there are any. */
async function openRouted (
  routers: readonly string[],
  init: Omit<RoutedGatewaysInit, 'routers'>
): Promise<RoutedGateways | undefined> {
  if (routers.length === 0) {
    return undefined
  }

  const { RoutedGateways } = await import('./network/routed/routed-gateways.ts')

  return RoutedGateways.open({ ...init, routers })
}
