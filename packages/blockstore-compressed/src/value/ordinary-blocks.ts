import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { MAX_ORDINARY_BLOCKS, MAX_REMEMBERED_DIGEST_LENGTH } from '../constants.ts'
import { keyOf } from './key-of.ts'
import type { CID } from 'multiformats/cid'

/**
 * Remembers blocks that do not begin like an envelope, up to `MAX_ORDINARY_BLOCKS`. The block
 * of a CID never changes, so a stored value of such a CID that does begin like one is an
 * envelope, and no hash is needed to tell. (`verify` other than `hash` trusts stored bytes.)
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

    forgetOldest(this.#keys, MAX_ORDINARY_BLOCKS)
  }
}
