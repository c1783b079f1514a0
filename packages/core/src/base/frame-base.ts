import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { MAX_LEAF_SIZE, REGION_RATIO } from '../constants.ts'
import { BaseCost } from './base-cost.ts'
import type { FileLink } from '../dag/file-block.ts'
import type { WrittenFile } from '../dag/write.ts'
import type { Region } from '../format/header.ts'
import type { Piece } from '../frames/compress-frames.ts'

/** A written file: what adding a file returns. */
export interface WrittenBaseRoot extends WrittenFile {
  /** The marker code. */
  code: number
  /** Whether only IPFSz can read it. */
  onlyIpfsz: boolean
}

export const NO_REGION: Region = { offset: 0, length: 0 }

export interface AidOptions {
  /** Where the piece begins in its file. */
  start: number
  /** Maximum number of bytes in a piece of the file. */
  frameSize: number
  /** Whether what changed may be compressed here, at no level: no level was asked for. */
  comparing: boolean
  /** The piece before, if that had the same base. */
  previous?: Piece | undefined
}

/** What the frames of a file that is being added may refer back to: an earlier version, or the tree's dictionary. */
export interface FrameBase {
  /** The link from the root of the new file. */
  readonly link: FileLink
  /** Original bytes. */
  readonly size: number
  /** The bytes of it that a reader reads at a time. */
  readonly pieceSize: number
  /** Its root, if every file with the same content has that root. */
  readonly root?: WrittenBaseRoot | undefined

  /**
   * Resolves once all of it has been read and is right. Before that, no file that refers to it may be finished.
   *
   * @throws {InvalidBaseError} it cannot be decompressed
   * @throws {InvalidTrailerError} what it has after its frames is not what its header needs
   * @throws {ContentMismatchError} its header names another content CID than its content has
   * @throws {NotFoundError} a block of it is missing
   */
  readonly checked?: Promise<void>

  /** A piece with what it may refer back to, or already compressed. Its region is empty if nothing is like it. */
  aid (bytes: Uint8Array, options: AidOptions): Piece | Promise<Piece>

  /**
   * Where the first piece of a file's first bytes begins that is like a part of the base. Undefined: none is.
   *
   * @param from - where to begin
   */
  findResembling (
    bytes: Uint8Array,
    from: number,
    frameSize: number
  ): number | undefined | Promise<number | undefined>

  /**
   * Where the first piece of a part of a file begins of which about a quarter or more is in the base, as samples say: a
   * look at all of it would take a quarter of the time of an add. Undefined: none is.
   *
   * @param start - where the part begins in its file
   */
  findShared (
    bytes: Uint8Array,
    start: number,
    frameSize: number
  ): number | undefined | Promise<number | undefined>
}

/** Give the pieces of a file what they may refer back to, of which `start` bytes were read before. */
export async function * aidAll (
  base: FrameBase,
  pieces: AsyncIterable<Uint8Array>,
  options: AidOptions
): AsyncGenerator<Piece> {
  const breaks = new EventLoopBreaks()
  const cost = new BaseCost(base.size, base.pieceSize)
  let { start, previous } = options
  cost.allows(previous?.region ?? NO_REGION, previous?.bytes.byteLength ?? 0)

  for await (const bytes of pieces) {
    const { byteLength } = bytes

    if (breaks.isDue()) {
      await breaks.take()
    }

    const aided = await base.aid(bytes, { ...options, start, previous })
    previous = cost.allows(aided.region ?? NO_REGION, byteLength) ? aided : { bytes, region: NO_REGION }
    yield previous
    start += byteLength
  }
}

/**
 * Maximum bytes of a region, so that those of all frames stay within what the format allows: a small file may have a
 * dictionary much larger than itself.
 */
export function maxRegion (length: number, frameSize: number): number {
  return Math.min(MAX_FRAME_SIZE, length < frameSize ? MAX_LEAF_SIZE + length : REGION_RATIO * length)
}
