import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { MAX_LEAF_SIZE, REGION_RATIO } from '../constants.ts'
import type { FileLink } from '../dag/node.ts'
import type { WrittenFile } from '../dag/write.ts'
import type { Region } from '../format/header.ts'
import type { Piece } from '../frames/compress-frames.ts'

/** A written file: what adding a file returns. */
export interface WrittenBaseRoot extends WrittenFile {
  /** The marker code. */
  code: number
}

export const NO_REGION: Region = { offset: 0, length: 0 }

/** What a piece may refer back to. Empty: nothing. */
export type FoundRegion = Region

/** What the frames of a file that is being added may refer back to: an earlier version, or the tree's dictionary. */
export interface FrameBase {
  /** The link from the root of the new file. */
  readonly link: FileLink
  /** Original bytes. */
  readonly size: number
  /** Its root, if every file with the same content has that root. */
  readonly root?: WrittenBaseRoot | undefined

  /**
   * Find what a piece may refer back to.
   *
   * @param start - where the piece begins in its file
   * @param frameSize - the most bytes in a piece of the file
   */
  find (bytes: Uint8Array, start: number, frameSize: number): FoundRegion

  /** A piece with what is in the region that was found for it. */
  aid (bytes: Uint8Array, region: FoundRegion): Piece | Promise<Piece>

  /**
   * Where the first piece of a file's first bytes begins that is like a part of the base. Undefined: none is.
   *
   * @param from - where to begin
   */
  findResembling (bytes: Uint8Array, from: number, frameSize: number): number | undefined
}

/** The regions that were found for pieces, by where those begin in their file. */
export type FoundRegions = ReadonlyMap<number, FoundRegion>

/**
 * Find what the pieces of a file may refer back to, of which `start` bytes were read before.
 *
 * @param found - regions that are known
 */
export async function * aidAll (
  base: FrameBase,
  pieces: AsyncIterable<Uint8Array>,
  start: number,
  frameSize: number,
  found?: FoundRegions
): AsyncGenerator<Piece> {
  let position = start

  for await (const piece of pieces) {
    const { byteLength } = piece

    yield await base.aid(piece, found?.get(position) ?? base.find(piece, position, frameSize))
    position += byteLength
  }
}

/**
 * The most bytes of a region, so that those of all frames stay within what the format allows: a small file may have a
 * dictionary much larger than itself.
 */
export function maxRegion (length: number, frameSize: number): number {
  return Math.min(MAX_FRAME_SIZE, length < frameSize ? MAX_LEAF_SIZE + length : REGION_RATIO * length)
}
