import { MultihashMap } from './multihash-map.ts'
import type { SeenBlocks } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Stands for a key that is in the set. */
const PRESENT = 1

/** The blocks that were counted, by their multihashes, 50 bytes for each. */
export class MultihashSet implements SeenBlocks {
  readonly #keys = new MultihashMap()

  has ({ multihash }: CID): boolean {
    return this.#keys.get(multihash.bytes) != null
  }

  add ({ multihash }: CID): void {
    this.#keys.set(multihash.bytes, PRESENT)
  }
}
