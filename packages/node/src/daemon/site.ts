import { PinShares } from '../siblings/pin-shares.ts'
import { Siblings } from '../siblings/siblings.ts'
import { StoreNodes } from '@ipfsz/shared-store/nodes'
import { packageVersion } from '../version.ts'
import type { FetchHere, SiblingTimes } from '../siblings/siblings.ts'
import type { PinSharesInit } from '../siblings/pin-shares.ts'
import type { SharedStore } from '@ipfsz/shared-store'
import type { Libp2p } from '@libp2p/interface'

export interface SiteInit extends Pick<PinSharesInit, 'onTakeOver'> {
  libp2p: Libp2p
  store: Pick<SharedStore, 'leaseTimeout' | 'objects'>
  /** How long another node may take. */
  times?: SiblingTimes | undefined
  onNote: (message: string) => void
}

/** What a daemon does with the other nodes of its store: knows them, fetches for them, and shares the pins out. */
export class Site {
  readonly siblings: Siblings
  readonly shares: PinShares
  readonly #nodes: StoreNodes
  readonly #started = Promise.withResolvers<void>()
  #end: () => Promise<void> = async () => {}

  constructor ({ libp2p, store: { objects, leaseTimeout }, times, onTakeOver, onNote }: SiteInit) {
    const peerId = libp2p.peerId.toString()

    this.#nodes = new StoreNodes({
      store: objects,
      leaseTimeout,
      peerId,
      addresses: () => libp2p.getMultiaddrs().map(String),
      version: packageVersion(),
      onLook: look => {
        this.siblings.update(look)
        this.shares.lose(look.gone)
      },
      onNote
    })
    this.siblings = new Siblings({ libp2p, nodes: this.#nodes, ...times })
    this.shares = new PinShares({ peerId, nodes: this.#nodes, delay: leaseTimeout, onTakeOver })
  }

  /** Resolves when the others have been looked for. */
  get started (): Promise<void> {
    return this.#started.promise
  }

  async start (fetchForSibling: FetchHere): Promise<void> {
    this.#end = await this.siblings.serve(fetchForSibling)
    await this.#nodes.start()
    this.#started.resolve()
  }

  async stop (): Promise<void> {
    this.shares.stop()
    await this.#end()
    await this.#nodes.stop()
    // nobody waits in vain
    this.#started.resolve()
  }
}
