import { unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { MultihashMap } from './multihash-map.ts'
import type { CID } from 'multiformats/cid'

const DAG_PB = 0x70
/** Stands for all levels. No DAG is deeper: each level needs a block of its own. */
const ALL_LEVELS = 2 ** 32 - 1

/** The blocks that walks have reached. */
export interface ReachedBlocks {
  /**
   * Record that a walk reaches a CID.
   *
   * @param levels - how many levels below it to walk
   * @returns whether its block is reached for the first time, or undefined if that many levels were walked before
   */
  add (cid: CID, levels: number): boolean | undefined
  /** Record that a block with links to other nodes was walked: to walk it again could take as long as everything. */
  keep (cid: CID, levels: number): void
  /** Whether that was recorded. A block may have been added twice if the first time was forgotten. */
  isKept (cid: CID, levels: number): boolean
  /** Whether a walk has reached the block with this multihash. */
  has (multihash: Uint8Array): boolean
}

/**
 * Remembers the multihash of each block, and what was walked below it. The codec counts too: a raw link to the bytes of
 * a dag-pb node makes them a leaf, and its links are then not walked.
 */
export class Reached implements ReachedBlocks {
  /** How many levels below a block have been walked: more than 0 only for dag-pb, marked or plain. */
  readonly #walked = new MultihashMap()

  add (cid: CID, levels: number): boolean | undefined {
    const { bytes } = cid.multihash
    const walked = this.#walked.get(bytes)
    const isNew = walked == null

    if (!isWalked(cid, levels)) {
      if (isNew) {
        this.#walked.set(bytes, 0)
      }

      return isNew || (!isLeaf(cid) && levels > 0) ? isNew : undefined
    }

    const wanted = countOf(levels)

    if (!isNew && walked >= wanted) {
      return undefined
    }

    this.#walked.set(bytes, wanted)

    return isNew
  }

  keep (): void {
    // it forgets nothing
  }

  isKept (): boolean {
    return false
  }

  has (multihash: Uint8Array): boolean {
    return this.#walked.get(multihash) != null
  }
}

/** Whether links of a block lead further, if it has any. */
export function isWalked (cid: CID, levels: number): boolean {
  return levels > 0 && isDagPb(cid)
}

/** Levels as a map of multihashes holds them. */
export function countOf (levels: number): number {
  return Math.min(levels, ALL_LEVELS)
}

export function isLeaf (cid: CID): boolean {
  return cid.code === raw.code
}

export function isDagPb (cid: CID): boolean {
  return unmark(cid).code === DAG_PB
}
