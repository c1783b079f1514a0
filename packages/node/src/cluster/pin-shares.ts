import { ownersOf } from '@ipfsz/shared-store/nodes'
import type { StoreNodes } from '@ipfsz/shared-store/nodes'
import type { CID } from 'multiformats/cid'

/** How many living nodes advertise each pin: if one dies, the other one's record is there until a third takes over. */
const PROVIDERS = 2

export interface PinSharesInit {
  peerId: string
  nodes: Pick<StoreNodes, 'living'>
  /** How long a node that is gone may come back before its share is taken over, in milliseconds. */
  delay: number
  /** Called when other nodes are gone for good, with what tells whether a pin fell to this node thereby. */
  onTakeOver: (isNew: (cid: CID) => boolean) => void
}

/** Which pins of a shared store this node advertises. With one or two nodes, all. */
export class PinShares {
  readonly #init: PinSharesInit
  /** The nodes among which the pins were shared out before some went. */
  #before: readonly string[] | undefined
  #timer: NodeJS.Timeout | undefined

  constructor (init: PinSharesInit) {
    this.#init = init
  }

  isOurs (cid: CID): boolean {
    return this.#isOurs(cid, this.#init.nodes.living)
  }

  /** Other nodes are gone. They may only have restarted. */
  lose (peerIds: readonly string[]): void {
    const { nodes, delay } = this.#init

    if (peerIds.length > 0) {
      this.#before = [...new Set([...this.#before ?? [], ...nodes.living, ...peerIds])]
      this.#timer ??= setTimeout(() => { this.#takeOver() }, delay).unref()
    }
  }

  stop (): void {
    clearTimeout(this.#timer)
  }

  #takeOver (): void {
    const before = this.#before ?? []
    // more may go while the pins are listed
    const after = [...this.#init.nodes.living]
    this.#before = undefined
    this.#timer = undefined

    if (before.some(peerId => !after.includes(peerId))) {
      this.#init.onTakeOver(cid => this.#isOurs(cid, after) && !this.#isOurs(cid, before))
    }
  }

  #isOurs ({ multihash }: CID, nodes: readonly string[]): boolean {
    return ownersOf(multihash.bytes, nodes, PROVIDERS).includes(this.#init.peerId)
  }
}
