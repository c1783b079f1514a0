import { CorruptFrameError, MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { ByteReader } from '../util/byte-reader.ts'
import { collectBytes } from '../util/bytes.ts'
import { readRange } from '../dag/read.ts'
import { emit } from '../events.ts'
import { frameConcurrency } from '../frames/frame-concurrency.ts'
import { maxFrameLength } from '../format/check-header.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { decompressStream } from './stream-codec.ts'
import type { GetStore } from '../dag/block.ts'
import type { SeekTable, StreamFrame } from './read-seek-table.ts'
import type { StreamFile, ReadStreamOptions } from './stream-codec.ts'

/** How many compressed bytes to read at a time from a frame that is too large to be held. */
const PIECE = 256 * 1024

/**
 * The original bytes of a seekable stream from `start` to `end` (exclusive, and after
 * `start`). Fetches only the frames that hold them.
 *
 * @throws {CorruptFrameError} a frame is damaged, or its size differs from the table
 */
export async function * readSeekable (
  file: StreamFile,
  table: SeekTable,
  start: number,
  end: number,
  blockstore: GetStore,
  options: ReadStreamOptions
): AsyncGenerator<Uint8Array> {
  const { first, last, largest, isSmall } = survey(table, start, end)
  const reader = new ByteReader(readRange(file.node, first, last, blockstore, options), options.signal)

  try {
    const frames = isSmall
      ? readWhole(file, table.within(start, end), largest, reader, options)
      : readPieces(file, table.within(start, end), reader, options)

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
    reader.close()
  }
}

/** Where the frames of a range lie in the stream, and whether all of them are small enough to hold in memory. */
function survey (
  table: SeekTable,
  start: number,
  end: number
): { first: number, last: number, largest: number, isSmall: boolean } {
  let first: number | undefined
  let last = 0
  let largest = 1
  let isSmall = true

  for (const { position, length, size } of table.within(start, end)) {
    first ??= position
    last = position + length
    largest = Math.max(largest, size)
    isSmall &&= size <= MAX_FRAME_SIZE && length <= maxFrameLength(size)
  }

  return { first: first ?? 0, last, largest, isSmall }
}

interface Piece {
  /** Its offset in the original. */
  at: number
  bytes: Uint8Array
}

/** Read frames as a whole, and decompress several at a time. */
async function * readWhole (
  file: StreamFile,
  frames: Iterable<StreamFrame>,
  largest: number,
  reader: ByteReader,
  options: ReadStreamOptions
): AsyncGenerator<Piece> {
  const fetched = async function * (): AsyncGenerator<{ frame: StreamFrame, bytes: Uint8Array }> {
    for (const frame of frames) {
      yield { frame, bytes: await reader.read(frame.length) }
    }
  }

  const decompressed = mapOrdered(fetched(), async ({ frame, bytes }) => ({
    frame,
    bytes: frame.size === 0 ? new Uint8Array(0) : await decompressFrame(file, bytes, frame.size, options)
  }), { concurrency: frameConcurrency(largest, options.inFlightBytes), signal: options.signal })

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
  reader: ByteReader,
  options: ReadStreamOptions
): AsyncGenerator<Piece> {
  for (const { number, length, start, size } of frames) {
    if (size === 0) {
      for await (const bytes of takePieces(reader, length)) {
        void bytes
      }

      continue
    }

    let at = start

    for await (const bytes of exactly(file, decompressStream(file, takePieces(reader, length), options), size)) {
      yield { at, bytes }
      at += bytes.byteLength
    }

    emit(options, 'ipfsz:cat:frame', { frame: number, size, length })
  }
}

async function * takePieces (reader: ByteReader, length: number): AsyncGenerator<Uint8Array> {
  for (let missing = length; missing > 0;) {
    const bytes = await reader.read(Math.min(missing, PIECE))

    if (bytes.byteLength === 0) {
      return
    }

    missing -= bytes.byteLength
    yield bytes
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
