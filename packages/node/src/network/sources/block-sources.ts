import { gatewaySources } from './gateway-sources.ts'
import { PeerSearches, PeerSource } from './peer-source.ts'
import { delegatedSources, dhtSources } from './routed-sources.ts'
import type { MakeSource } from './gateway-sources.ts'
import type { Network } from '../network.ts'
import type { RoutedSourceInit } from './routed-source.ts'
import type { BlockSource } from '@ipfsz/core'
import type { HttpSource, ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

interface BlockSourcesInit extends Pick<RoutedSourceInit, 'allowLocal'> {
  gateways: readonly string[]
  /** URLs of delegated routers. */
  routers: readonly string[]
  /** Opens the network. Missing: there are no peers to ask. */
  network: (() => Promise<Network>) | undefined
  /** The ids of the peers that the user named, once the network is open. */
  named?: (() => readonly string[]) | undefined
  /** Called with the id of a peer that lacks a block below a root. */
  onLacks?: ((peer: string, cid: CID, root: CID) => void) | undefined
}

/** The sources of the blocks below one root. */
interface RootSources {
  /** In the order in which they are asked. */
  sources: BlockSource[]
  /** Tell the gateways to send single blocks: much of what they were asked for is here already. */
  dropPlan: () => void
  /** Whether there are several gateways, which can send different blocks at the same time. */
  hasSeveral: boolean
}

/**
 * Where one command fetches blocks from: the gateways that it names, those that routers list, then peers, and if these
 * keep silent, those gateways that providers advertise in the DHT.
 */
export class BlockSources {
  readonly #init: BlockSourcesInit
  readonly #makers: readonly MakeSource[]
  readonly #searches = new PeerSearches()
  readonly #opened: HttpSource[] = []
  readonly #advertised: MakeSource | undefined

  private constructor (init: BlockSourcesInit, makers: readonly MakeSource[]) {
    const { network, gateways: others, allowLocal } = init
    this.#init = init
    this.#makers = makers
    this.#advertised = network == null ? undefined : dhtSources(network, { others, allowLocal })
  }

  /**
   * Asks none of them.
   *
   * @returns undefined if there are none
   * @throws {InvalidGatewayUrlError}
   * @throws {UsageError} a text is not the URL of a router
   */
  static async open (init: BlockSourcesInit): Promise<BlockSources | undefined> {
    const { gateways, routers, network } = init
    const isLast = network == null
    const makers = [
      gatewaySources(gateways, { isOnlySource: isLast && routers.length === 0 }),
      delegatedSources(routers, { ...init, others: gateways, isOnlySource: isLast })
    ].filter(maker => maker != null)

    return makers.length === 0 && isLast ? undefined : new BlockSources(init, makers)
  }

  /** @param plan - what will be read: gateways then send it with one request */
  below (root: CID, plan: ReadPlan | undefined): RootSources {
    const { network, named, onLacks } = this.#init
    const gateways = this.#makers.map(make => make(root, plan))
    this.#opened.push(...gateways)

    if (network == null || this.#advertised == null) {
      return this.#sourcesOf(gateways)
    }

    const advertised = this.#advertised(root, plan)
    this.#opened.push(advertised)

    const peers = new PeerSource({
      network,
      root,
      plan,
      searches: this.#searches,
      named,
      onLacks: (peer, cid) => { onLacks?.(peer, cid, root) }
    })

    return this.#sourcesOf([...gateways, peers, advertised])
  }

  /** End all responses. The network stays open. */
  close (): void {
    this.#opened.forEach(source => { source.close() })
  }

  #sourcesOf (sources: ReadonlyArray<BlockSource & Pick<HttpSource, 'dropPlan'>>): RootSources {
    return {
      sources: [...sources],
      dropPlan: () => { sources.forEach(source => { source.dropPlan() }) },
      hasSeveral: this.#init.gateways.length > 1
    }
  }
}
