import { slices } from '@ipfsz/utils/bytes'
import { aidAll } from '../base/frame-base.ts'
import { BufferPool } from '../frames/buffer-pool.ts'
import { splitFrames } from '../frames/compress-frames.ts'
import { BoundedReader } from './bounded-reader.ts'
import type { Unchanged } from '../base/unchanged.ts'
import type { ContentCid } from '../content-cid/content-cid.ts'
import type { AidOptions, FrameBase } from '../base/frame-base.ts'
import type { Piece } from '../frames/compress-frames.ts'
import type { ByteReader } from '../util/byte-reader.ts'

/** How a base is used that does not help with the beginning of a file, but may from a later piece on. */
export interface LateBase {
  /** Original bytes in a frame from there on. */
  basedSize: number
  /**
   * Whether the base helps with a piece.
   *
   * @param start - where the piece begins in its file
   */
  helps (bytes: Uint8Array, start: number): Promise<boolean>
}

interface LateBaseOptions extends LateBase {
  /** The first bytes of the file that may be looked at. */
  from: number
  /** Has the bytes after a piece from there on. */
  reader: ByteReader
  /** Called when the base helps. */
  onFound?: (() => void) | undefined
}

/**
 * Give the pieces of a file what they may refer back to.
 *
 * @param late - if they may not from the start on
 */
export function aidPieces (
  pieces: AsyncIterable<Uint8Array>,
  base: FrameBase | undefined,
  options: AidOptions,
  late?: LateBaseOptions
): AsyncIterable<Piece> {
  if (base == null) {
    return toPieces(pieces)
  }

  return late == null ? aidAll(base, pieces, options) : aidLater(pieces, base, options, late)
}

async function * toPieces (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  for await (const bytes of chunks) {
    yield { bytes }
  }
}

/**
 * The pieces of a file as they are, until a base helps with one. What is read from there on is cut into the pieces of a
 * file with a base.
 */
async function * aidLater (
  pieces: AsyncIterable<Uint8Array>,
  base: FrameBase,
  options: AidOptions,
  { basedSize: frameSize, helps, from, reader, onFound }: LateBaseOptions
): AsyncGenerator<Piece> {
  let { start } = options
  let next = from

  for await (const bytes of pieces) {
    // read it now: a worker may take over the memory, which leaves no bytes
    const { byteLength } = bytes
    const at = start < next ? undefined : await base.findShared(bytes, start, frameSize)

    if (at != null && await helps(bytes.subarray(at, at + frameSize), start + at)) {
      onFound?.()
      yield * aidAll(base, readParts(bytes, reader, frameSize), { ...options, start, frameSize })
      return
    }

    yield { bytes }
    start += byteLength
    // trying it in vain takes the time of a frame: so the next time is twice as far into the file
    next = at == null ? next : 2 * start
  }
}

/** A piece and all that follows, in smaller pieces. */
async function * readParts (piece: Uint8Array, reader: ByteReader, size: number): AsyncGenerator<Uint8Array> {
  const pool = new BufferPool(size)

  try {
    yield * reader instanceof BoundedReader ? reader.split(piece, size) : slices(piece, size)
    yield * splitFrames(reader, size, pool)
  } finally {
    pool.close()
  }
}

/** Compare pieces with the base before they reach the codec. */
export async function * comparePieces (
  pieces: AsyncIterable<Piece>,
  unchanged: Unchanged
): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    unchanged.add(piece)
    yield piece
  }
}

/** Hash pieces before they reach the codec, which may take over their memory. */
export async function * hashPieces (pieces: AsyncIterable<Piece>, content: ContentCid): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    await content.update(piece.bytes)
    yield piece
  }
}
