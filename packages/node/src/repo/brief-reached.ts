// Room: a repo on disk, or one that keeps its blocks in a shared store: `repo.ts` opens either. Pins are in
// `repo-pins.ts`, which processes may work at a time in `repo-lock.ts`, versions in `history.ts`, sessions begin in
// `with-session.ts`.
import { MultihashMap } from '../dag/multihash-map.ts'
import { countOf, isLeaf, isWalked } from '../dag/reached.ts'
import { TailSet, tailOf } from '@ipfsz/shared-store/collect'
import type { ReachedBlocks } from '../dag/reached.ts'
import type { CID } from 'multiformats/cid'

/** At least so many of the nodes that were reached last are remembered (200 MB), and at most twice as many. */
const DEFAULT_RECENT = 2 ** 22

/**
 * The blocks that the walks of a collection have reached, for 10^9 of them: 10 to 12.5 bytes for each, instead of 50.
 *
 * - Of all blocks, the last 8 bytes of their multihashes. A block that no pin reaches stays if it ends like one.
 * - Of nodes that link to other nodes, such as directories, the whole multihash: if one were wrongly taken for walked,
 *   the blocks below it would be lost, and to walk one again could take as long as to walk everything.
 * - Of other nodes, such as small files, the whole multihash for a while: an older one is read again if another
 *   directory links to it too.
 */
export class BriefReached implements ReachedBlocks {
  readonly #tails = new TailSet()
  /** How many levels below a node were walked. */
  readonly #kept = new MultihashMap()
  readonly #maxRecent: number
  #recent = new MultihashMap()
  #older = new MultihashMap()

  /** @param maxRecent - how many nodes to remember before the older ones are forgotten. @default 4194304 */
  constructor (maxRecent = DEFAULT_RECENT) {
    this.#maxRecent = maxRecent
  }

  add (cid: CID, levels: number): boolean | undefined {
    const { bytes } = cid.multihash
    const tail = tailOf(bytes)
    const isNew = !this.#tails.has(tail)

    if (isNew) {
      this.#tails.add(tail)
    }

    if (!isWalked(cid, levels)) {
      return isNew || (!isLeaf(cid) && levels > 0) ? isNew : undefined
    }

    const wanted = countOf(levels)
    const recent = this.#recent.get(bytes) ?? this.#older.get(bytes)

    if (Math.max(recent ?? 0, this.#kept.get(bytes) ?? 0) >= wanted) {
      return undefined
    }

    if (this.#recent.size >= this.#maxRecent) {
      this.#older = this.#recent
      this.#recent = new MultihashMap()
    }

    this.#recent.set(bytes, wanted)

    return isNew
  }

  keep ({ multihash: { bytes } }: CID, levels: number): void {
    this.#kept.set(bytes, Math.max(this.#kept.get(bytes) ?? 0, countOf(levels)))
  }

  isKept ({ multihash: { bytes } }: CID, levels: number): boolean {
    return (this.#kept.get(bytes) ?? -1) >= countOf(levels)
  }

  has (multihash: Uint8Array): boolean {
    return this.#tails.has(tailOf(multihash))
  }
}
