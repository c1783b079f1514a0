import { aidAll } from '../base/frame-base.ts'
import { Unchanged } from '../base/unchanged.ts'
import { cutByContent } from '../cut/cut-by-content.ts'
import { BufferPool } from '../frames/buffer-pool.ts'
import { MAX_INLINE_SIZE, MAX_LEAF_SIZE, REGION_RATIO } from '../constants.ts'
import { ContentCid } from '../content-cid/content-cid.ts'
import { writeLeafAndRoot, writeLeaves, writeRoot } from '../dag/write.ts'
import { FrameTable } from '../frames/frame-table.ts'
import { compressFrames, emitFrame, reportFrames, splitFrames } from '../frames/compress-frames.ts'
import { frameConcurrency } from '../frames/frame-concurrency.ts'
import { GROUP_FRAMES } from '../format/frame-groups.ts'
import { leafPerPart, packLeaves } from '../format/leaf.ts'
import { REGION_TABLE } from '../format/region-table.ts'
import { SEEK_TABLE } from '../format/seek-table.ts'
import { encodeTrailer } from '../format/trailer.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { Filter } from '../filters/filter.ts'
import type { TableLayout } from '../format/frame-groups.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { Choice, Cut } from '../policy/compression.ts'
import type { Layout } from '../policy/layout.ts'
import type { PutStore } from '../dag/block.ts'
import type { FileLink, Metadata, RootContent } from '../dag/node.ts'
import type { WrittenFile } from '../dag/write.ts'
import type { AddFrameEvents } from '../events.ts'
import type { Frame, Piece } from '../frames/compress-frames.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

/** The most bytes of a table that stay together if leaves are small, 64 KiB, but at least the entries of a group. */
const TABLE_PART_SIZE = 64 * 1024

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

/** The start of a file, already read. */
interface Beginning {
  /** Whole frames, or all of the file. */
  bytes: Uint8Array
  /** The first piece, if the file has a base. */
  first?: Piece | undefined
  /** The first frame, if the trial made it. */
  frame?: Frame | undefined
}

/** A written file, its marker code, and the CID of its uncompressed bytes if requested. */
interface WrittenCompressedFile extends WrittenFile {
  code: number
  contentCid?: CID
}

/** How to compress the frames of a file. */
interface FrameSettings extends Omit<Choice, 'basedLevel'>, Omit<Layout, 'sampleSize'> {
  /** Where frames end. */
  cut: Cut
  /** What the codec does to the bytes before it compresses them. */
  filters: readonly Filter[]
  /** What they may refer back to. */
  base?: FrameBase | undefined
  /** The most bytes that the header takes to list them. With more, a table does, if the codec has one. */
  maxListed: number
  /** The path of the file, for errors. */
  path?: string | undefined
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
  { codec, level, frameSize, leafSize, cut, filters, base, maxListed, path }: FrameSettings,
  metadata: Metadata,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<WrittenCompressedFile> {
  const table = new FrameTable({ codec: codec.name, frameSize, listsSizes: cut === 'content', maxListed, path })

  if (cut === 'size' && base == null && !options.contentCid && isWhole(beginning, frameSize)) {
    const leaf = takeFrame(beginning, table, options)
    const header = { codec: codec.code, ...table.header, ...filters.length === 0 ? {} : { filters } }
    const written = await (leaf.byteLength <= MAX_INLINE_SIZE
      ? writeRoot({ inline: leaf, header }, metadata, blockstore, options)
      : writeLeafAndRoot(leaf, { header }, metadata, blockstore, options))

    return { ...written, code: codec.code }
  }

  const pool = new BufferPool(frameSize)
  const content = options.contentCid ? new ContentCid(options) : undefined
  const unchanged = base == null ? undefined : new Unchanged()
  const { bytes, first, frame } = beginning
  const start = frame?.size ?? 0

  if (frame != null) {
    await content?.update(bytes.subarray(0, start))
    unchanged?.add(first ?? { bytes: bytes.subarray(0, start) })
  }

  const later = cut === 'content'
    ? cutByContent(reader, size => pool.take(size))
    : splitFrames(reader, frameSize, pool)
  const rest = prepend(slices(bytes.subarray(start), frameSize), later)

  if (base == null && start === bytes.byteLength && frame?.bytes.buffer !== bytes.buffer) {
    BufferPool.release(bytes)
  }

  const pieces = base == null ? toPieces(rest) : aidAll(base, rest, start, frameSize)
  const compared = unchanged == null ? pieces : comparePieces(pieces, unchanged)
  // in memory with a frame: the part of a base that it refers to, or its filtered bytes
  const held = (base == null ? 1 : 1 + REGION_RATIO) * (filters.length === 0 ? 1 : 2) * frameSize
  const compressed = compressFrames(content == null ? compared : hashPieces(compared, content), {
    codec,
    level,
    // the tables of a dictionary fill a core's cache: more frames than cores take a fifth more processor time
    concurrency: frameConcurrency(held, options.inFlightBytes, base == null ? undefined : 0),
    signal: options.signal
  })
  const frames = prepend(frame == null ? [] : [frame], compressed)
  const stream = joinFrames(reportFrames(frames, options), table, codec.name, base)
  const leaves = cut === 'content' ? leafPerPart(stream) : packLeaves(stream, leafSize)
  const root = await writeContent(leaves, table, blockstore, options)
  pool.close()
  const contentCid = await content?.digest()

  if (base?.root != null && unchanged?.isWhole(base.size) === true && hasNoMetadata(metadata) && content == null) {
    // the few bytes that were written belong to nothing, and gc removes them
    return base.root
  }

  const named = contentCid == null ? {} : { contentCid }
  const filtered = filters.length === 0 ? {} : { filters }
  const header = { codec: codec.code, ...table.header, ...filtered, ...named }
  const link = table.isBased ? base?.link : undefined

  const written = await writeRoot({ ...root, header, base: link }, metadata, blockstore, options)

  return { ...written, code: codec.code, ...named }
}

/** Whether the trial has compressed all of the file: there was less to read than a frame, and it fits into a leaf. */
function isWhole (beginning: Beginning, frameSize: number): beginning is Beginning & { frame: Frame } {
  const { bytes: { byteLength: size }, frame } = beginning

  return frame?.size === size && size < frameSize && frame.bytes.byteLength <= MAX_LEAF_SIZE
}

/** The only frame of a file, without the steps that several go through: most files of a tree are that small. */
function takeFrame (
  { bytes, frame }: Beginning & { frame: Frame },
  table: FrameTable,
  options: WriteFileOptions
): Uint8Array {
  if (frame.bytes.buffer !== bytes.buffer) {
    BufferPool.release(bytes)
  }

  emitFrame(options, 0, frame)
  table.add(frame)

  return frame.bytes
}

function hasNoMetadata ({ mode, mtime }: Metadata): boolean {
  return mode == null && mtime == null
}

/** Compare pieces with the base before they reach the codec. */
async function * comparePieces (
  pieces: AsyncIterable<Piece>,
  unchanged: Unchanged
): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    unchanged.add(piece)
    yield piece
  }
}

async function * toPieces (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  for await (const bytes of chunks) {
    yield { bytes }
  }
}

/** Hash pieces before they reach the codec, which may take over their memory. */
async function * hashPieces (pieces: AsyncIterable<Piece>, content: ContentCid): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    await content.update(piece.bytes)
    yield piece
  }
}

async function * prepend<T> (first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield * first
  yield * rest
}

function * slices (bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) {
    yield bytes.subarray(start, start + size)
  }
}

/** The bytes of all frames, recorded in the table, followed by the codec's trailer. */
async function * joinFrames (
  frames: AsyncIterable<Frame>,
  table: FrameTable,
  codec: string,
  base?: FrameBase
): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) {
    table.add(frame)
    yield frame.bytes
  }

  const { all, isListed } = table
  const storedBaseSize = all.regions == null ? undefined : base?.link.size
  const trailer = encodeTrailer(codec, all, storedBaseSize, isListed)

  if (!isListed) {
    yield * groupsOf(trailer, all.regions == null ? SEEK_TABLE : REGION_TABLE)
  } else if (trailer.byteLength > 0) {
    yield trailer
  }
}

/** A table in parts, between two groups of frames: reading a range takes one of them. */
function * groupsOf (table: Uint8Array, { headerLength, entryLength }: TableLayout): Generator<Uint8Array> {
  const group = GROUP_FRAMES * entryLength
  const part = group * Math.max(1, Math.floor(TABLE_PART_SIZE / group))

  yield table.subarray(0, headerLength + part)
  yield * slices(table.subarray(headerLength + part), part)
}

/** Write the leaves, or return a single small leaf to be stored inside the root. */
async function writeContent (
  leaves: AsyncGenerator<Uint8Array>,
  table: FrameTable,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<RootContent> {
  const first = await leaves.next()

  if (first.done === true) {
    return {}
  }

  const second = await leaves.next()

  // a root with a base has a link, and so no data
  if (second.done === true && first.value.byteLength <= MAX_INLINE_SIZE && !table.isBased) {
    return { inline: first.value }
  }

  const start = second.done === true ? [first.value] : [first.value, second.value]
  const links: FileLink[] = []

  for await (const link of writeLeaves(prepend(start, leaves), blockstore, options)) {
    links.push(link)
  }

  return { links }
}
