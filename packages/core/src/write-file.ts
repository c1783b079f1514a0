import { BufferPool } from './buffer-pool.ts'
import { MAX_INLINE_SIZE } from './constants.ts'
import { writeLeaves, writeRoot } from './dag/write.ts'
import { FrameTable } from './frame-table.ts'
import { compressFrames, frameConcurrency, reportFrames, splitFrames } from './frame.ts'
import { packLeaves } from './leaf.ts'
import type { ByteReader } from './byte-reader.ts'
import type { Compression } from './compression.ts'
import type { PutStore } from './dag/block.ts'
import type { FileLink, Metadata, RootContent } from './dag/node.ts'
import type { WrittenFile } from './dag/write.ts'
import type { AddFrameEvents } from './events.ts'
import type { Frame } from './frame.ts'
import type { ProgressOptions } from 'progress-events'

/** The codecs whose tools skip a seek table (docs/format.md, section 4). */
const SEEKABLE = new Set(['zstd', 'lz4'])

export interface WriteFileOptions extends ProgressOptions<AddFrameEvents> {
  signal?: AbortSignal | null
  /** The most original bytes in the frames that are compressed at one time. */
  inFlightBytes: number
}

/** The beginning of a file, already read: its first piece as it is, or as a frame. */
export type Beginning = { piece: Uint8Array } | { frame: Frame }

/**
 * Write a compressed file: pieces -> frames -> leaves -> blocks -> root. Each step
 * takes from the one before it as it needs to, and works on a bounded number of
 * things at one time, so memory does not grow with the file.
 *
 * @param reader - what comes behind the beginning
 * @throws {FileTooLargeError}
 */
export async function writeFile (
  beginning: Beginning,
  reader: ByteReader,
  { codec, level, frameSize }: Compression,
  metadata: Metadata,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<WrittenFile> {
  const pool = new BufferPool(frameSize)
  const table = new FrameTable(frameSize)
  const pieces = startWith('piece' in beginning ? beginning.piece : undefined, splitFrames(reader, frameSize, pool))
  const frames = startWith('frame' in beginning ? beginning.frame : undefined, compressFrames(pieces, {
    codec,
    level,
    pool,
    concurrency: frameConcurrency(frameSize, options.inFlightBytes),
    signal: options.signal
  }))
  const stream = toStream(reportFrames(frames, options), table, SEEKABLE.has(codec.name))
  const content = await writeContent(packLeaves(stream), blockstore, options)

  return writeRoot({
    ...content,
    header: { codec: codec.code, size: table.size, frameSize, frameLengths: table.lengths }
  }, metadata, blockstore, options)
}

async function * startWith<T> (first: T | undefined, rest: AsyncIterable<T>): AsyncGenerator<T> {
  if (first != null) {
    yield first
  }

  yield * rest
}

/** The frames' bytes, entered in the table, and the trailer where the codec has one. */
async function * toStream (frames: AsyncIterable<Frame>, table: FrameTable, seekable: boolean): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) {
    table.add(frame)
    yield frame.bytes
  }

  if (seekable && table.lengths.length > 1) {
    yield table.seekTable()
  }
}

/** Write the leaves, or keep the only one where it is small enough to lie in the root. */
async function writeContent (leaves: AsyncGenerator<Uint8Array>, blockstore: PutStore, options: WriteFileOptions): Promise<RootContent> {
  const first = await leaves.next()

  if (first.done === true) {
    return {}
  }

  const second = await leaves.next()

  if (second.done === true && first.value.byteLength <= MAX_INLINE_SIZE) {
    return { inline: first.value }
  }

  const rest = second.done === true ? leaves : startWith(second.value, leaves)
  const links: FileLink[] = []

  for await (const link of writeLeaves(startWith(first.value, rest), blockstore, options)) {
    links.push(link)
  }

  return { links }
}
