import { CorruptFrameError, MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { collectBytes } from '@ipfsz/utils/bytes'
import { emit } from '../events.ts'
import { frameConcurrency } from '../frames/frame-concurrency.ts'
import { maxFrameLength } from '../format/check-header.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { FrameSource } from './frame-source.ts'
import { decompressStream } from './stream-codec.ts'
import type { GetStore } from '../dag/block.ts'
import type { ByteRange } from '../dag/read.ts'
import type { SeekTable, StreamFrame } from './read-seek-table.ts'
import type { StreamFile, ReadStreamOptions } from './stream-codec.ts'

/**
 * The original bytes of a range of a seekable stream, which is not empty. Fetches only the frames that hold them, and
 * none that is empty.
 *
 * @throws {CorruptFrameError} a frame is damaged, or its size differs from the table
 * @throws {InvalidTrailerError} the table has far more stored bytes for the range than original ones
 */
export async function * readSeekable (
  file: StreamFile & { table: SeekTable },
  { start, end }: ByteRange,
  blockstore: GetStore,
  options: ReadStreamOptions
): AsyncGenerator<Uint8Array> {
  const within = (): Generator<StreamFrame> => file.table.within(start, end)
  const { largest, isSmall } = survey(within())
  const source = new FrameSource(file.node, within, blockstore, options)

  try {
    const frames = isSmall
      ? readWhole(file, within(), source, { ...options, largest })
      : readPieces(file, within(), source, options)

    for await (const { at, bytes } of frames) {
      const piece = bytes.subarray(Math.max(start - at, 0), Math.max(end - at, 0))

      if (piece.byteLength > 0) {
        yield piece
      }

      if (at + bytes.byteLength >= end) {
        return
      }
    }
  } finally {
    source.close()
  }
}

/** The original bytes of the largest frame, and whether all of them are small enough to hold in memory. */
function survey (frames: Iterable<StreamFrame>): { largest: number, isSmall: boolean } {
  let largest = 1
  let isSmall = true

  for (const { length, size } of frames) {
    largest = Math.max(largest, size)
    isSmall &&= size <= MAX_FRAME_SIZE && length <= maxFrameLength(size)
  }

  return { largest, isSmall }
}

interface Piece {
  /** Its offset in the original. */
  at: number
  bytes: Uint8Array
}

/**
 * Read frames as a whole, and decompress several at a time.
 *
 * @param options - with the original bytes of the largest frame
 */
async function * readWhole (
  file: StreamFile,
  frames: Iterable<StreamFrame>,
  source: FrameSource,
  options: ReadStreamOptions & { largest: number }
): AsyncGenerator<Piece> {
  const fetched = async function * (): AsyncGenerator<{ frame: StreamFrame, bytes: Uint8Array }> {
    for (const frame of frames) {
      yield { frame, bytes: await source.read(frame) }
    }
  }

  const decompressed = mapOrdered(fetched(), async ({ frame, bytes }) => ({
    frame,
    bytes: await decompressFrame(file, bytes, frame.size, options)
  }), { concurrency: frameConcurrency(options.largest, options.inFlightBytes), signal: options.signal })

  for await (const { frame: { number, start, size, length }, bytes } of decompressed) {
    emit(options, 'ipfsz:cat:frame', { frame: number, size, length })
    yield { at: start, bytes }
  }
}

/**
 * Decompress one entry of the table. Other tools write frames without a content size, or
 * several frames per entry: those are decompressed as a stream.
 */
async function decompressFrame (
  file: StreamFile,
  bytes: Uint8Array,
  size: number,
  options: ReadStreamOptions
): Promise<Uint8Array> {
  try {
    return await file.codec.decompress(bytes, { size, signal: options.signal })
  } catch (err) {
    if (!(err instanceof Error) || err.name !== 'CorruptFrameError') {
      throw err
    }

    const source = (async function * () { yield bytes })()

    return collectBytes(exactly(file, decompressStream(file, source, options), size))
  }
}

/**
 * Read the frames of a range in pieces, one frame after another: used if any of them is too large
 * to hold in memory.
 */
async function * readPieces (
  file: StreamFile,
  frames: Iterable<StreamFrame>,
  source: FrameSource,
  options: ReadStreamOptions
): AsyncGenerator<Piece> {
  for (const frame of frames) {
    const { number, length, start, size } = frame
    let at = start

    for await (const bytes of exactly(file, decompressStream(file, source.pieces(frame), options), size)) {
      yield { at, bytes }
      at += bytes.byteLength
    }

    emit(options, 'ipfsz:cat:frame', { frame: number, size, length })
  }
}

/** Require a stream to hold exactly `size` bytes: otherwise everything after it would be misplaced. */
async function * exactly (
  { codec }: StreamFile,
  source: AsyncIterable<Uint8Array>,
  size: number
): AsyncGenerator<Uint8Array> {
  let missing = size

  for await (const bytes of source) {
    missing -= bytes.byteLength

    if (missing < 0) {
      break
    }

    yield bytes
  }

  if (missing !== 0) {
    throw new CorruptFrameError(codec.name, `it does not have the ${size} bytes that the seek table states`)
  }
}
