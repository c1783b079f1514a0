import { ByteReader } from '../util/byte-reader.ts'
import { ContentCid } from '../content-cid/content-cid.ts'
import { fileSize, readTransient, readWhole, WHOLE } from '../dag/read.ts'
import { ContentMismatchError, InvalidTrailerError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { frameRuns } from '../frames/frame-runs.ts'
import { codecOf } from '../frames/compressed-file.ts'
import { decompressFrames } from '../frames/read-frames.ts'
import { takeFrames } from '../frames/take-frames.ts'
import { findSeekTable } from '../streams/read-seek-table.ts'
import { readSeekable } from '../streams/read-seekable.ts'
import { decompressStream } from '../streams/stream-codec.ts'
import { checkTrailer, checkTrailerLength } from './verify-trailer.ts'
import type { Entry } from './entry.ts'
import type { CompressedFile, RegionSource } from '../frames/compressed-file.ts'
import type { GetStore } from '../dag/block.ts'
import type { ReadStreamOptions, StreamFile } from '../streams/stream-codec.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

export interface VerifyFileOptions extends ReadStreamOptions {
  /** Called with the original bytes of a compressed file, in order. */
  onBytes? (bytes: Uint8Array): Promise<void>
  /** Reads the base of a compressed file that has one. */
  base?: RegionSource | undefined
}

/** The totals of a file that passed. */
interface VerifiedFile {
  /** Bytes that reading it returned. */
  size: bigint
  /** How many frames were decompressed. */
  frames: number
  /** The CID of its bytes, if its header names one. */
  contentCid?: CID
}

/**
 * Read and check a whole file: every block and frame, the seek table, and the content CID. A
 * stream compressed by another tool is decompressed to its end. Memory is bounded as in
 * reading.
 *
 * @throws {InvalidTrailerError}
 * @throws {ContentMismatchError}
 */
export async function verifyFile (
  { block, node, header, stream }: Entry,
  blockstore: GetStore,
  codecs: readonly Codec[],
  options: VerifyFileOptions
): Promise<VerifiedFile> {
  if (node == null) {
    return { size: BigInt(block.byteLength), frames: 0 }
  }

  if (header != null) {
    const { base } = options

    return verifyCompressed({ node, header, codec: codecOf(header, codecs), base }, blockstore, options)
  }

  if (stream != null) {
    return verifyStream({ node, codec: codecOf({ codec: stream }, codecs) }, blockstore, options)
  }

  // a symlink has no blocks below its root, and no content
  const isFile = node.unixfs.type === 'file' || node.unixfs.type === 'raw'

  return { size: isFile ? await count(readTransient(node, WHOLE, blockstore, options)) : 0n, frames: 0 }
}

/** Check a stream compressed by another tool: all of it from the front, and again through its seek table. */
async function verifyStream (
  file: StreamFile,
  blockstore: GetStore,
  options: VerifyFileOptions
): Promise<VerifiedFile> {
  const size = await count(decompressStream(file, readWhole(file.node, blockstore, options), options), options.onBytes)
  const table = await findSeekTable(file, blockstore, options)

  if (table == null) {
    return { size, frames: 0 }
  }

  if (BigInt(table.size) !== size) {
    throw new InvalidTrailerError(file.node.cid, `it states ${table.size} bytes, but the frames hold ${size}`)
  }

  try {
    await count(readSeekable({ ...file, table }, { start: 0, end: table.size }, blockstore, options))
  } catch (err) {
    // the stream decompresses from the front, so the table must be wrong
    throw err instanceof Error && err.name === 'CorruptFrameError'
      ? new InvalidTrailerError(file.node.cid, 'its frame sizes do not match the stream', { cause: err })
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

async function verifyCompressed (
  file: CompressedFile,
  blockstore: GetStore,
  options: VerifyFileOptions
): Promise<VerifiedFile> {
  const { node, header } = file
  const { contentCid } = header
  // the last link of a file with a base is its base
  const storedBaseSize = hasBase(header) ? Number(node.unixfs.blockSizes.at(-1)) : undefined
  const content = contentCid == null ? undefined : new ContentCid(options)
  const range = storedBaseSize == null ? WHOLE : { start: 0, end: fileSize(node) - storedBaseSize }
  const reader = new ByteReader(readTransient(node, range, blockstore, options), options.signal)
  let size = 0n
  let frames = 0

  checkTrailerLength(file)
  // others may keep what they are given
  const transient = content == null && options.onBytes == null
  const taken = takeAll(file, reader, blockstore, options)

  try {
    for await (const { bytes, release } of decompressFrames(file, taken, { ...options, transient })) {
      await content?.update(bytes)
      await options.onBytes?.(bytes)
      size += BigInt(bytes.byteLength)
      frames++
      release()
    }

    await checkTrailer(file, reader)
  } finally {
    reader.close()
  }

  const actual = await content?.digest()

  if (contentCid != null && actual != null && !actual.equals(contentCid)) {
    throw new ContentMismatchError(node.cid, contentCid, actual)
  }

  return { size, frames, ...contentCid == null ? {} : { contentCid } }
}

/** All frames of a file, read from its beginning. */
async function * takeAll (
  file: CompressedFile,
  reader: ByteReader,
  blockstore: GetStore,
  options: VerifyFileOptions
): ReturnType<typeof takeFrames> {
  const { size } = file.header

  if (size > 0) {
    for await (const run of frameRuns(file, { start: 0, end: size }, blockstore, options)) {
      yield * takeFrames(reader, run, file, { isTransient: bytes => blockstore.isUnshared?.(bytes) === true })
    }
  }
}
