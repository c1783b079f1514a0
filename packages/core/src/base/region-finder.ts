import { ByteReader } from '../util/byte-reader.ts'
import { AnchorIndex } from './anchor-index.ts'
import { ANCHOR_LENGTH, findAnchors } from './anchors.ts'
import { matchPiece } from './match-piece.ts'

const KIB = 1024

/** A span of a base's original content. */
export interface Region {
  /** Where it begins, in bytes. */
  offset: number
  /** Its bytes. */
  length: number
}

/** The most bytes of a region, 16 MiB: what a reader holds of a base. */
export const MAX_REGION_LENGTH = 16 * KIB * KIB

/** The fewest bytes of a region: zstd ignores shorter dictionaries. */
export const MIN_REGION_LENGTH = 8

/** How many more bytes than the piece a region may have, for what was deleted or moved. */
const SLACK = 512 * KIB
/** Fewer for a small piece, because a reader decompresses the whole region. */
const MIN_SLACK = 128 * KIB

/** Bytes of a region on both sides of what matches: anchors are not everywhere. */
const MARGIN = 16 * KIB

/** All of a base of up to 256 KiB is always a region. */
const SMALL_BASE = 256 * KIB

/** Bytes of the base that are searched for anchors at a time. */
const READ_SIZE = 1024 * KIB

/** The first bytes of a dictionary that zstd does not take as raw content, but as one with tables of its own. */
const ZSTD_DICTIONARY_MAGIC = 0xec30a437

/** Finds the regions of a base that resemble pieces of another version of it. */
export class RegionFinder {
  readonly #index: AnchorIndex
  readonly #size: number
  /** Where a region may begin that should begin at 0. */
  readonly #origin: number

  private constructor (index: AnchorIndex, size: number, origin: number) {
    this.#index = index
    this.#size = size
    this.#origin = origin
  }

  /**
   * Read a base once and remember where its content is: 8 MiB of memory at most, whatever its size.
   *
   * @param base - its original content. It is closed if the signal aborts.
   */
  static async of (base: AsyncIterable<Uint8Array>, signal?: AbortSignal | null): Promise<RegionFinder> {
    const reader = new ByteReader(base, signal)
    const index = new AnchorIndex()
    // what is read follows the last bytes before it: an anchor may begin in those
    const overlap = ANCHOR_LENGTH - 1
    const buffer = new Uint8Array(overlap + READ_SIZE)
    let size = 0
    let origin = 0

    try {
      for (;;) {
        const read = await reader.read(READ_SIZE)
        const before = Math.min(overlap, size)
        const bytes = buffer.subarray(overlap - before, overlap + read.byteLength)
        const position = size - before
        buffer.set(read, overlap)

        if (size === 0 && isMagic(bytes, 0)) {
          origin = 1
        }

        findAnchors(bytes, index.mask, (key, gear, start) => {
          // a region begins at an anchor, or at the origin
          if (!isMagic(bytes, start)) {
            index.add(key, gear, position + start)
          }
        })

        size += read.byteLength

        if (read.byteLength < READ_SIZE) {
          return new RegionFinder(index, size, origin)
        }

        buffer.copyWithin(0, READ_SIZE)
      }
    } finally {
      reader.close()
    }
  }

  /**
   * The region of the base that has most in common with a piece: at most 512 KiB longer. If several
   * have, the one nearest to the piece's own place.
   *
   * @param start - where the piece begins in its own file
   * @param maxLength - the most bytes of the region
   * @returns undefined if nothing matches. All of a base of up to 256 KiB is always a region: zstd
   *   finds matches in it that are too short for an anchor.
   */
  find (piece: Uint8Array, start: number, maxLength = MAX_REGION_LENGTH): Region | undefined {
    const slack = Math.min(SLACK, Math.max(MIN_SLACK, 2 * piece.byteLength))
    const length = Math.min(maxLength, MAX_REGION_LENGTH, piece.byteLength + slack)

    if (this.#size <= Math.min(SMALL_BASE, length)) {
      return this.#region(0, length)
    }

    const match = matchPiece(this.#index, piece, start, length)

    if (match == null) {
      return undefined
    }

    const place = Math.min(match.from, match.place) - MARGIN
    // all of the match, and as much as possible of where the piece would be
    const from = Math.min(match.from, Math.max(match.to - length, place))
    const to = Math.max(match.to, match.place + piece.byteLength) + MARGIN

    return this.#region(from, Math.min(from + length, to))
  }

  /** The region that begins at the first anchor from an offset on, and ends at another offset at most. */
  #region (from: number, to: number): Region | undefined {
    const offset = from <= this.#origin ? this.#origin : this.#index.start(this.#firstFrom(from))
    const length = Math.min(to, this.#size) - offset

    return length < MIN_REGION_LENGTH ? undefined : { offset, length }
  }

  /** The first anchor that begins at an offset or behind it. There has to be one. */
  #firstFrom (offset: number): number {
    let low = 0
    let high = this.#index.count - 1

    while (low < high) {
      const middle = (low + high) >> 1

      if (this.#index.start(middle) < offset) {
        low = middle + 1
      } else {
        high = middle
      }
    }

    return low
  }
}

function isMagic (bytes: Uint8Array, start: number): boolean {
  const magic = ZSTD_DICTIONARY_MAGIC

  return bytes[start] === (magic & 0xff) && bytes[start + 1] === (magic >>> 8 & 0xff) &&
    bytes[start + 2] === (magic >>> 16 & 0xff) && bytes[start + 3] === magic >>> 24
}
