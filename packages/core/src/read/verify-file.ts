import { ByteReader } from '../util/byte-reader.ts'
import { ContentCid } from '../content-cid/content-cid.ts'
import { fileSize, readWhole } from '../dag/read.ts'
import { ContentMismatchError, InvalidTrailerError } from '../errors.ts'
import { codecOf, decompressFrames, takeFrames } from '../frames/read-frames.ts'
import { findSeekTable } from '../streams/read-seek-table.ts'
import { readSeekable } from '../streams/read-seekable.ts'
import { encodeTrailer } from '../format/seek-table.ts'
import { decompressStream } from '../streams/stream-codec.ts'
import type { Entry } from './entry.ts'
import type { CompressedFile } from '../frames/read-frames.ts'
import type { GetStore } from '../dag/block.ts'
import type { ReadStreamOptions, StreamFile } from '../streams/stream-codec.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

export interface VerifyFileOptions extends ReadStreamOptions {
  /** Is given the original bytes of a compressed file, in order. */
  onBytes? (bytes: Uint8Array): Promise<void>
}

/** What was found of a file that is as it should be. */
export interface VerifiedFile {
  /** Bytes that reading it gave. */
  size: bigint
  /** How many frames were decompressed. */
  frames: number
  /** The CID of its bytes, where its header names one: it is that. */
  contentCid?: CID
}

/**
 * Read a file to its end: every block, every frame, what follows the frames, and the
 * content CID. A stream that others made is decompressed to its end. Memory is
 * bounded as for reading.
 *
 * @throws {InvalidTrailerError}
 * @throws {ContentMismatchError}
 */
export async function verifyFile ({ block, node, header, stream }: Entry, blockstore: GetStore, codecs: readonly Codec[], options: VerifyFileOptions): Promise<VerifiedFile> {
  if (node == null) {
    return { size: BigInt(block.byteLength), frames: 0 }
  }

  if (header != null) {
    return verifyCompressed({ node, header, codec: codecOf(header, codecs) }, blockstore, options)
  }

  if (stream != null) {
    return verifyStream({ node, codec: codecOf({ codec: stream }, codecs) }, blockstore, options)
  }

  // a symlink has nothing below its root, and reads as nothing
  const isFile = node.unixfs.type === 'file' || node.unixfs.type === 'raw'

  return { size: isFile ? await count(readWhole(node, blockstore, options)) : 0n, frames: 0 }
}

/** A stream that others made: all of it from its front, and what its seek table says, by which ranges are read. */
async function verifyStream (file: StreamFile, blockstore: GetStore, options: VerifyFileOptions): Promise<VerifiedFile> {
  const size = await count(decompressStream(file, readWhole(file.node, blockstore, options), options), options.onBytes)
  const table = await findSeekTable(file.node, file.codec.name, blockstore, options)

  if (table == null) {
    return { size, frames: 0 }
  }

  if (BigInt(table.size) !== size) {
    throw new InvalidTrailerError(file.node.cid, `its seek table says ${table.size} bytes, its frames hold ${size}`)
  }

  try {
    await count(readSeekable(file, table, 0, table.size, blockstore, options))
  } catch (err) {
    // as it is good from the front, it is the table that is wrong
    throw err instanceof Error && err.name === 'CorruptFrameError'
      ? new InvalidTrailerError(file.node.cid, 'its seek table does not say where its frames are and what they hold', { cause: err })
      : err
  }

  return { size, frames: table.frames }
}

async function count (source: AsyncIterable<Uint8Array>, onBytes?: VerifyFileOptions['onBytes']): Promise<bigint> {
  let size = 0n

  for await (const bytes of source) {
    await onBytes?.(bytes)
    size += BigInt(bytes.byteLength)
  }

  return size
}

async function verifyCompressed (file: CompressedFile, blockstore: GetStore, options: VerifyFileOptions): Promise<VerifiedFile> {
  const { node, header, codec } = file
  const { contentCid } = header
  const trailer = encodeTrailer(codec.name, header)
  const content = contentCid == null ? undefined : new ContentCid(options)
  const reader = new ByteReader(readWhole(node, blockstore, options), options.signal)
  let size = 0n
  let frames = 0

  checkTrailerLength(file, trailer)

  try {
    for await (const { bytes } of decompressFrames(file, takeFrames(reader, header, 0, header.frameLengths.length - 1), options)) {
      await content?.update(bytes)
      await options.onBytes?.(bytes)
      size += BigInt(bytes.byteLength)
      frames++
    }

    const found = await reader.read(trailer.byteLength)

    if (!trailer.every((byte, i) => byte === found[i])) {
      throw new InvalidTrailerError(node.cid, 'its seek table differs from its header')
    }

    // to the end, where there may be blocks that hold nothing
    await reader.read(1)
  } finally {
    reader.close()
  }

  const actual = await content?.digest()

  if (contentCid != null && actual != null && !actual.equals(contentCid)) {
    throw new ContentMismatchError(node.cid, contentCid, actual)
  }

  return { size, frames, ...contentCid == null ? {} : { contentCid } }
}

function checkTrailerLength ({ node, header }: CompressedFile, trailer: Uint8Array): void {
  const length = fileSize(node) - header.frameLengths.reduce((total, length) => total + length, 0)

  if (length !== trailer.byteLength) {
    throw new InvalidTrailerError(node.cid, `${length} bytes follow the frames instead of ${trailer.byteLength}`)
  }
}
