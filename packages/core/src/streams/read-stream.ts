import { CorruptFrameError } from '@ipfsz/codecs'
import { fileSize, readRange } from '../dag/read.ts'
import { InvalidParametersError } from '../errors.ts'
import { maxCost } from './frame-source.ts'
import { findSeekTable } from './read-seek-table.ts'
import { readSeekable } from './read-seekable.ts'
import { decompressStream } from './stream-codec.ts'
import type { GetStore } from '../dag/block.ts'
import type { ByteRange } from '../dag/read.ts'
import type { ReadStreamOptions, StreamFile } from './stream-codec.ts'

export interface StreamRange {
  offset?: number | undefined
  length?: number | undefined
}

/** The first bytes of a file, up to 64 KiB, are read without the table: looking for it takes a block. */
const NO_TABLE_SIZE = 64 * 1024

/**
 * The original bytes of a file compressed by another tool. For a range, the seek table at the
 * file's end is used; without one, everything before the range is decompressed and dropped.
 *
 * @throws {CorruptFrameError} it is not a stream of the codec, or is truncated or damaged, or a range would cost far
 *   more stored bytes than there are original ones up to its end
 * @throws {InvalidTrailerError} a range would, by the seek table
 * @throws {WindowTooLargeError}
 * @throws {MissingImplementationError}
 */
export async function * readStream (
  file: StreamFile,
  { offset = 0, length = Number.POSITIVE_INFINITY }: StreamRange,
  blockstore: GetStore,
  options: ReadStreamOptions
): AsyncGenerator<Uint8Array> {
  checkWhole('Offset', offset)

  if (length !== Number.POSITIVE_INFINITY) {
    checkWhole('Length', length)
  }

  const end = offset + length
  const isWhole = offset === 0 && length === Number.POSITIVE_INFINITY
  const table = isWhole || (offset === 0 && end <= NO_TABLE_SIZE)
    ? undefined
    : await findSeekTable(file, blockstore, options)

  if (table == null) {
    yield * isWhole
      ? decompressAll(file, blockstore, options)
      : decompressRange(file, { start: offset, end }, blockstore, options)
    return
  }

  if (offset > table.size) {
    throw behindEnd(offset, table.size)
  }

  yield * readSeekable({ ...file, table }, { start: offset, end: Math.min(end, table.size) }, blockstore, options)
}

/** The original size of a stream. Decompresses all of it. */
export async function measureStream (
  file: StreamFile,
  blockstore: GetStore,
  options: ReadStreamOptions
): Promise<number> {
  let size = 0

  for await (const bytes of decompressAll(file, blockstore, options)) {
    size += bytes.byteLength
  }

  return size
}

function decompressAll (
  file: StreamFile,
  blockstore: GetStore,
  options: ReadStreamOptions
): AsyncGenerator<Uint8Array> {
  return decompressStream(file, storedBytes(file, blockstore, options), options)
}

function storedBytes (
  { node }: StreamFile,
  blockstore: GetStore,
  options: ReadStreamOptions
): AsyncGenerator<Uint8Array> {
  return readRange(node, { start: 0, end: fileSize(node) }, blockstore, options)
}

/** Decompress from the front up to a range, as long as that costs no more than a range may. */
async function * decompressRange (
  file: StreamFile,
  range: ByteRange,
  blockstore: GetStore,
  options: ReadStreamOptions
): AsyncGenerator<Uint8Array> {
  let cost = 0
  let original = 0

  const stored = async function * (): AsyncGenerator<Uint8Array> {
    for await (const bytes of storedBytes(file, blockstore, options)) {
      if (cost > maxCost(original)) {
        throw new CorruptFrameError(file.codec.name, `it has ${cost} stored bytes for ${original} original ones`)
      }

      cost += bytes.byteLength
      yield bytes
    }
  }

  const counted = async function * (): AsyncGenerator<Uint8Array> {
    for await (const bytes of decompressStream(file, stored(), options)) {
      original += bytes.byteLength
      yield bytes
    }
  }

  yield * slice(counted(), range)
}

async function * slice (
  source: AsyncIterable<Uint8Array>,
  { start, end }: ByteRange
): AsyncGenerator<Uint8Array> {
  let position = 0

  if (start === end) {
    return
  }

  for await (const bytes of source) {
    const piece = bytes.subarray(Math.max(start - position, 0), Math.max(end - position, 0))
    position += bytes.byteLength

    if (piece.byteLength > 0) {
      yield piece
    }

    if (position >= end) {
      return
    }
  }

  if (start > position) {
    throw behindEnd(start, position)
  }
}

function behindEnd (offset: number, size: number): InvalidParametersError {
  return new InvalidParametersError(`Offset must be a whole number from 0 to the file's size ${size}, not ${offset}`)
}

function checkWhole (name: string, value: number): void {
  if (!Number.isInteger(value) || value < 0) {
    throw new InvalidParametersError(`${name} must be a whole number from 0, not ${value}`)
  }
}
