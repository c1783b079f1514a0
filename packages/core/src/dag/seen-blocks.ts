import { blockKey } from './block-key.ts'
import type { CID } from 'multiformats/cid'

/**
 * The blocks that were counted. By default a Set of their multihashes, which takes about 150 bytes for each, and holds
 * 16.7 million at most.
 */
export interface SeenBlocks {
  has (cid: CID): boolean
  add (cid: CID): void
}

export class SeenSet implements SeenBlocks {
  readonly #keys = new Set<string>()

  has (cid: CID): boolean {
    return this.#keys.has(blockKey(cid))
  }

  add (cid: CID): void {
    this.#keys.add(blockKey(cid))
  }
}
