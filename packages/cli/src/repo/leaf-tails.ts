import { TailSet, tailOf } from '../store/tail-set.ts'
import type { ReachedLeaves } from '../dag/dag-walk.ts'

/**
 * The leaves that the walks of a collection have reached, by the last 8 bytes of their multihashes: 10 to 12.5 bytes
 * for each, while a block with links takes 50. Most blocks of a store are leaves. If a leaf that no pin reaches ends
 * like one that a pin does, it stays.
 */
export class LeafTails implements ReachedLeaves {
  readonly #tails = new TailSet()

  has (multihash: Uint8Array): boolean {
    return this.#tails.has(tailOf(multihash))
  }

  add (multihash: Uint8Array): void {
    this.#tails.add(tailOf(multihash))
  }
}
