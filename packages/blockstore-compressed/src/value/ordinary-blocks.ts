import { MAX_ORDINARY_BLOCKS, MAX_REMEMBERED_DIGEST_LENGTH } from '../constants.ts'
import { keyOf } from './key-of.ts'
import type { CID } from 'multiformats/cid'

/**
 * Blocks that do not begin like an envelope, as far as can be said without comparing them
 * with their CIDs, and so many of them at most. A CID has one block for ever: what is
 * stored under such a CID and does begin so is an envelope, whoever has written it, and no
 * hash has to tell.
 */
export class OrdinaryBlocks {
  readonly #keys = new Set<string>()

  has (cid: CID): boolean {
    return this.#keys.has(keyOf(cid))
  }

  add (cid: CID): void {
    if (cid.multihash.size > MAX_REMEMBERED_DIGEST_LENGTH) {
      return
    }

    this.#keys.add(keyOf(cid))

    if (this.#keys.size > MAX_ORDINARY_BLOCKS) {
      const [oldest] = this.#keys
      this.#keys.delete(oldest)
    }
  }
}
