import { PeerSearches, PeerSource } from './peer-source.ts'
import { httpSources } from './routed-sources.ts'
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
  readonly #searches = new PeerSearches()
  readonly #opened: HttpSource[] = []
  readonly #makers: ReturnType<typeof httpSources>

  private constructor (init: BlockSourcesInit, makers: ReturnType<typeof httpSources>) {
    this.#init = init
    this.#makers = makers
  }

  /** Asks none of them. Returns undefined if there are none. */
  static async open (init: BlockSourcesInit): Promise<BlockSources | undefined> {
    const makers = httpSources(init)

    return makers.before.length + makers.after.length === 0 ? undefined : new BlockSources(init, makers)
  }

  /** @param plan - what will be read: gateways then send it with one request */
  below (root: CID, plan: ReadPlan | undefined): RootSources {
    const { network, named, onLacks } = this.#init
    const [before, after] = [this.#makers.before, this.#makers.after]
      .map(makers => makers.map(make => make(root, plan)))
    this.#opened.push(...before, ...after)

    const peers = network == null
      ? []
      : [new PeerSource({
        network,
        root,
        plan,
        searches: this.#searches,
        named,
        onLacks: (peer, cid) => { onLacks?.(peer, cid, root) }
      })]
    const sources = [...before, ...peers, ...after]

    return {
      sources,
      dropPlan: () => { sources.forEach(source => { source.dropPlan() }) },
      hasSeveral: this.#init.gateways.length > 1
    }
  }

  /** End all responses. The network stays open. */
  close (): void {
    this.#opened.forEach(source => { source.close() })
  }
}
