import { concat } from '@ipfsz/utils/bytes'
import { Unchanged } from '../base/unchanged.ts'
import { MAX_INLINE_SIZE } from '../constants.ts'
import { BASE_HEAD_LENGTH } from '../format/trailer.ts'
import { BufferPool } from '../frames/buffer-pool.ts'
import { trailerOf } from './join-frames.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { Frame, Piece } from '../frames/compress-frames.ts'
import type { FrameTable } from '../frames/frame-table.ts'

/** The start of a file, already read. */
export interface Beginning {
  /** Whole frames, or all of the file. */
  bytes: Uint8Array
  /** The first piece, if the file has a base. */
  first?: Piece | undefined
  /** The first frame, if the trial made it. */
  frame?: Frame | undefined
}

/**
 * Whether the trial has compressed all of the file: there was less to read than a frame, and it fits into a leaf, with
 * what comes before a base.
 */
export function isWhole (
  beginning: Beginning,
  frameSize: number,
  maxLength: number
): beginning is Beginning & { frame: Frame } {
  const { bytes: { byteLength: size }, first, frame } = beginning
  const trailer = first == null ? 0 : BASE_HEAD_LENGTH

  return frame?.size === size && size < frameSize && frame.bytes.byteLength + trailer <= maxLength
}

/** Whether the only piece of a file is all of its base. */
export function isBase (piece: Piece, { size }: FrameBase): boolean {
  const unchanged = new Unchanged()
  unchanged.add(piece)

  return unchanged.isWhole(size)
}

/**
 * The only frame of a file, without the steps that several go through: most files of a tree are that small.
 *
 * @returns what is stored in the root, or the leaf
 */
export function takeFrame (
  { bytes, frame }: Beginning & { frame: Frame },
  table: FrameTable,
  codec: string,
  base: FrameBase | undefined
): { inline: Uint8Array, leaf?: undefined } | { leaf: Uint8Array } {
  // a frame that is still checked is compared with them
  if (frame.bytes.buffer !== bytes.buffer && frame.checked == null) {
    BufferPool.release(bytes)
  }

  table.add(frame)

  // a root with a base has a link, and so no data
  return frame.bytes.byteLength <= MAX_INLINE_SIZE && !table.isBased
    ? { inline: frame.bytes }
    : { leaf: concat([frame.bytes, ...trailerOf(table, codec, base)]) }
}
