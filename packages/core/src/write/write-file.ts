import { BufferPool } from '../frames/buffer-pool.ts'
import { MAX_INLINE_SIZE } from '../constants.ts'
import { ContentCid } from '../content-cid/content-cid.ts'
import { writeLeaves, writeRoot } from '../dag/write.ts'
import { FrameTable } from '../frames/frame-table.ts'
import { compressFrames, reportFrames, splitFrames } from '../frames/compress-frames.ts'
import { frameConcurrency } from '../frames/frame-concurrency.ts'
import { packLeaves } from '../format/leaf.ts'
import { encodeTrailer } from '../format/seek-table.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { Choice } from '../policy/compression.ts'
import type { PutStore } from '../dag/block.ts'
import type { FileLink, Metadata, RootContent } from '../dag/node.ts'
import type { WrittenFile } from '../dag/write.ts'
import type { AddFrameEvents } from '../events.ts'
import type { Frame } from '../frames/compress-frames.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export interface WriteFileOptions extends ProgressOptions<AddFrameEvents> {
  signal?: AbortSignal | null
  /** The most original bytes in the frames that are compressed at a time. */
  inFlightBytes: number
  /**
   * Compute the CID that the file has uncompressed and write it into the header. The header
   * grows, so the file's own CID changes.
   */
  contentCid: boolean
}

/** The start of a file, already read: its first piece, and its first frame if the trial made one. */
interface Beginning {
  piece: Uint8Array
  frame?: Frame | undefined
}

/** A written file, and the CID of its uncompressed bytes if requested. */
interface WrittenCompressedFile extends WrittenFile {
  contentCid?: CID
}

/**
 * Write a compressed file: pieces -> frames -> leaves -> blocks -> root. Each step pulls
 * from the one before it and has a bounded number of items in progress, so memory does not
 * grow with the file.
 *
 * @param reader - positioned after the beginning
 * @throws {FileTooLargeError}
 */
export async function writeFile (
  beginning: Beginning,
  reader: ByteReader,
  { codec, level, frameSize }: Choice & { frameSize: number },
  metadata: Metadata,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<WrittenCompressedFile> {
  const pool = new BufferPool(frameSize)
  const table = new FrameTable(frameSize)
  const content = options.contentCid ? new ContentCid(options) : undefined
  const { piece, frame } = beginning

  if (frame != null) {
    await content?.update(piece)
  }

  const read = prepend(frame == null ? piece : undefined, splitFrames(reader, frameSize, pool))
  const frames = prepend(frame, compressFrames(content == null ? read : hashPieces(read, content), {
    codec,
    level,
    pool,
    concurrency: frameConcurrency(frameSize, options.inFlightBytes),
    signal: options.signal
  }))
  const stream = joinFrames(reportFrames(frames, options), table, codec.name)
  const root = await writeContent(packLeaves(stream), blockstore, options)
  const contentCid = await content?.digest()
  const named = contentCid == null ? {} : { contentCid }
  const header = { codec: codec.code, size: table.size, frameSize, frameLengths: table.lengths, ...named }

  return { ...await writeRoot({ ...root, header }, metadata, blockstore, options), ...named }
}

/** Hash pieces before they reach the codec, which may take over their memory. */
async function * hashPieces (pieces: AsyncIterable<Uint8Array>, content: ContentCid): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    await content.update(piece)
    yield piece
  }
}

async function * prepend<T> (first: T | undefined, rest: AsyncIterable<T>): AsyncGenerator<T> {
  if (first != null) {
    yield first
  }

  yield * rest
}

/** The bytes of all frames, recorded in the table, followed by the codec's trailer. */
async function * joinFrames (
  frames: AsyncIterable<Frame>,
  table: FrameTable,
  codec: string
): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) {
    table.add(frame)
    yield frame.bytes
  }

  const trailer = encodeTrailer(codec, { frameLengths: table.lengths, frameSize: table.frameSize, size: table.size })

  if (trailer.byteLength > 0) {
    yield trailer
  }
}

/** Write the leaves, or return a single small leaf to be stored inside the root. */
async function writeContent (
  leaves: AsyncGenerator<Uint8Array>,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<RootContent> {
  const first = await leaves.next()

  if (first.done === true) {
    return {}
  }

  const second = await leaves.next()

  if (second.done === true && first.value.byteLength <= MAX_INLINE_SIZE) {
    return { inline: first.value }
  }

  const rest = second.done === true ? leaves : prepend(second.value, leaves)
  const links: FileLink[] = []

  for await (const link of writeLeaves(prepend(first.value, rest), blockstore, options)) {
    links.push(link)
  }

  return { links }
}
