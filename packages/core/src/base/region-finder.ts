import { MIN_REGION_SIZE } from '../constants.ts'
import { isShared } from './look-into-piece.ts'
import { matchPiece, sharedBytes, Votes } from './match-piece.ts'
import { SampleIndex } from './sample-index.ts'
import type { Region } from '../format/header.ts'
import type { VotedSamples } from './match-piece.ts'

const KIB = 1024

/** Maximum number of bytes of a region, 16 MiB: what a reader holds of a base. */
const MAX_REGION_LENGTH = 16 * KIB * KIB

/** How many more bytes than the piece a region may have, for what was deleted or moved. */
const SLACK = 512 * KIB
/** Fewer for a small piece, because a reader decompresses the whole region. */
const MIN_SLACK = 128 * KIB

/** Bytes of a region on both sides of what matches: samples are not everywhere. */
const MARGIN = 16 * KIB

/** All of a base of up to 512 KiB is a region, unless it is much larger than the piece: searching takes longer. */
const SMALL_BASE = 512 * KIB

/** Finds the regions of a base that resemble pieces of another version of it. */
export class RegionFinder {
  readonly #size: number
  /** The content of a base that is kept, until it is indexed: most need no index. */
  readonly #pieces: Uint8Array[]
  #samples: VotedSamples | undefined

  private constructor (size: number, pieces: Uint8Array[], index?: SampleIndex) {
    this.#size = size
    this.#pieces = pieces
    this.#samples = index && { index, votes: new Votes(index.count) }
  }

  /**
   * Read a base once and remember where its content is: 9 MiB of memory at most, whatever its size, or the content.
   *
   * @param base - its original content, which must not be changed later
   * @param size - how many bytes that is
   * @param maxKept - maximum number of bytes of content that are kept, and indexed only if that is needed
   */
  static async of (base: AsyncIterable<Uint8Array>, size: number, maxKept = SMALL_BASE): Promise<RegionFinder> {
    const index = size > maxKept ? new SampleIndex(size) : undefined
    const pieces: Uint8Array[] = []

    for await (const bytes of base) {
      if (index == null) {
        pieces.push(bytes)
      } else {
        index.add(bytes)
      }
    }

    return new RegionFinder(size, pieces, index)
  }

  /**
   * The region of the base that has most in common with a piece: at most 512 KiB longer. If several
   * have, the one nearest to the piece's own place.
   *
   * @param start - where the piece begins in its own file
   * @param maxLength - maximum number of bytes of the region
   * @param isWhole - whether the piece is all of its file
   * @returns undefined if nothing matches. A base of up to 512 KiB that fits is always a region: zstd finds matches
   *   in it that are too short for a sample. So is a larger one of which a whole file has something: clients of HTTP
   *   have all of it as a dictionary (RFC 9842).
   */
  find (piece: Uint8Array, start: number, maxLength = MAX_REGION_LENGTH, isWhole = false): Region | undefined {
    const slack = Math.min(SLACK, Math.max(MIN_SLACK, 2 * piece.byteLength))
    const length = Math.min(maxLength, MAX_REGION_LENGTH, piece.byteLength + slack)

    if (this.#size <= Math.min(SMALL_BASE, length)) {
      return this.#region(0, length)
    }

    const match = matchPiece(this.#samples ??= this.#sample(), piece, start, length)

    if (match == null) {
      return undefined
    }

    if (isWhole && this.#size <= length) {
      return this.#region(0, length)
    }

    const place = Math.min(match.from, match.place) - MARGIN
    // all of the match, and as much as possible of where the piece would be
    const from = Math.min(match.from, Math.max(match.to - length, place))
    const to = Math.max(match.to, match.place + piece.byteLength) + MARGIN

    return this.#region(from, Math.min(from + length, to))
  }

  /** About how many bytes of a piece are also in the base, wherever that is. */
  sharedBytes (piece: Uint8Array): number {
    return sharedBytes(this.#samples ??= this.#sample(), piece)
  }

  /**
   * Where the first piece begins of a part of another file of which much is in the base, wherever that is.
   *
   * @param start - where the part begins in its file
   * @param pieceSize - in bytes
   */
  findShared (bytes: Uint8Array, start: number, pieceSize: number): number | undefined {
    const { index } = this.#samples ??= this.#sample()

    for (let from = 0; from < bytes.byteLength; from += pieceSize) {
      if (isShared(index, bytes.subarray(from, from + pieceSize), start + from)) {
        return from
      }
    }

    return undefined
  }

  #sample (): VotedSamples {
    const index = new SampleIndex(this.#size)

    for (const bytes of this.#pieces.splice(0)) {
      index.add(bytes)
    }

    return { index, votes: new Votes(index.count) }
  }

  /** What of the base is between two places. */
  #region (from: number, to: number): Region | undefined {
    const offset = Math.max(from, 0)
    const length = Math.min(to, this.#size) - offset

    return length < MIN_REGION_SIZE ? undefined : { offset, length }
  }
}
