import { BaseTooCostlyError } from '../errors.ts'
import type { Region } from '../format/header.ts'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024

/**
 * Maximum original bytes of a base that reading a file may decompress: 80 MiB, and 16 times the bytes of its frames
 * that have a region. A frame of 512 KiB whose region is in two frames of 4 MiB, which are the defaults, takes just
 * that, wherever in the base they are. Without a limit, frames of 64 KiB could each need 32 MiB of a base that is
 * stored in a few kilobytes.
 */
export const MAX_BASE_COST = 80 * MIB
export const MAX_BASE_COST_RATIO = 16

/**
 * How much of that may be saved up while a file is written, 48 MiB: a region of 16 MiB, with all of the pieces of 16
 * MiB at its ends. A range of the file may begin anywhere, and then has none of the two pieces that a reader of the
 * whole file still has.
 */
const MAX_SAVED = 48 * MIB

/** How many pieces of a base are remembered at least, by whoever reads one. */
const REMEMBERED = 2

/**
 * Counts the bytes of pieces of a base that the frames of a file need, one after the other. It does not matter what a
 * reader has in memory: a file that one of them refuses is refused by all.
 */
export class BaseCost {
  readonly #size: number
  readonly #pieceSize: number
  /** The numbers of the pieces that were needed last. */
  readonly #last: number[] = []
  #cost = 0
  #original = 0
  /** What a writer has saved up. */
  #saved = MAX_SAVED

  /**
   * @param size - original bytes of the base
   * @param pieceSize - the bytes of it that are read at a time
   */
  constructor (size: number, pieceSize: number) {
    this.#size = size
    this.#pieceSize = pieceSize
  }

  /**
   * Count the region of the next frame that is read.
   *
   * @param size - original bytes of the frame
   * @throws {BaseTooCostlyError} it needs too much of its base, with all that were read before
   */
  count (region: Region, size: number, cid: CID, base: CID): void {
    this.#cost += this.#need(region)
    this.#original += size
    const limit = MAX_BASE_COST + MAX_BASE_COST_RATIO * this.#original

    if (this.#cost > limit) {
      throw new BaseTooCostlyError(cid, base, limit)
    }
  }

  /**
   * Whether the next frame that is written may have a region, so that every reader takes every range. If not, it has to
   * go without.
   *
   * @param size - original bytes of the frame
   */
  allows (region: Region, size: number): boolean {
    // readers do not count such frames
    if (region.length === 0) {
      return true
    }

    const before = this.#last.slice()
    const left = Math.min(this.#saved + MAX_BASE_COST_RATIO * size, MAX_SAVED) - this.#need(region)

    if (left < 0) {
      this.#last.splice(0, REMEMBERED, ...before)

      return false
    }

    this.#saved = left

    return true
  }

  /** The bytes of the pieces that a region is in, without those that are remembered. */
  #need ({ offset, length }: Region): number {
    const last = Math.floor((Math.min(offset + length, this.#size) - 1) / this.#pieceSize)
    let bytes = 0

    for (let number = Math.floor(offset / this.#pieceSize); number <= last; number++) {
      const at = this.#last.indexOf(number)

      if (at !== -1) {
        this.#last.splice(at, 1)
      } else {
        bytes += Math.min(this.#pieceSize, this.#size - number * this.#pieceSize)
      }

      this.#last.push(number)
      this.#last.splice(0, this.#last.length - REMEMBERED)
    }

    return bytes
  }
}
