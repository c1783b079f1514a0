import * as raw from 'multiformats/codecs/raw'
import { MultihashMap } from '../dag/multihash-map.ts'
import type { SmallResult } from '../tree/small-files.ts'
import type { SeenBlocks } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

type SmallFile = Extract<SmallResult, { type: 'file' }>

/** What is known of a block of which nothing else is: that it was counted. */
const COUNTED = 1

/** The different blocks of a tree, and the small files among them that are good: those are not read again. */
export class CountedBlocks implements SeenBlocks {
  readonly #known = new MultihashMap()

  get count (): number {
    return this.#known.size
  }

  has ({ multihash }: CID): boolean {
    return this.#known.get(multihash.bytes) != null
  }

  add (cid: CID): void {
    if (!this.has(cid)) {
      this.#known.set(cid.multihash.bytes, COUNTED)
    }
  }

  /** Count the root of a small file that is good. Size, frames and codec are in one number, above `COUNTED`. */
  addFile ({ code, multihash }: CID, { size, frames }: SmallFile): void {
    this.#known.set(multihash.bytes, size << 3 | frames << 2 | 2 | rawBit(code))
  }

  /** A small file that was added. */
  fileOf ({ code, multihash }: CID): SmallFile | undefined {
    const known = this.#known.get(multihash.bytes) ?? COUNTED

    // the same bytes as another kind of block are another file
    return known > COUNTED && (known & 1) === rawBit(code)
      ? { type: 'file', size: known >>> 3, frames: known >>> 2 & 1 }
      : undefined
  }
}

function rawBit (code: number): number {
  return code === raw.code ? 1 : 0
}
