import { slices } from '@ipfsz/utils/bytes'
import { Unchanged } from '../base/unchanged.ts'
import { cutByContent } from '../cut/cut-by-content.ts'
import { BufferPool } from '../frames/buffer-pool.ts'
import { MAX_LEAF_SIZE, REGION_RATIO } from '../constants.ts'
import { ContentCid } from '../content-cid/content-cid.ts'
import { writeRoot } from '../dag/write.ts'
import { FrameTable } from '../frames/frame-table.ts'
import { compressFrames, emitFrame, reportFrames, splitFrames } from '../frames/compress-frames.ts'
import { frameConcurrency } from '../frames/frame-concurrency.ts'
import { needsIpfsz } from '../format/needs-ipfsz.ts'
import { leafPerPart, packLeaves } from '../format/leaf.ts'
import { prepend } from '../util/prepend.ts'
import { BoundedReader } from './bounded-reader.ts'
import { codecInTurns } from './background-codec.ts'
import { joinFrames } from './join-frames.ts'
import { aidPieces, comparePieces, hashPieces } from './pieces.ts'
import { isBase, isWhole, takeFrame } from './take-frame.ts'
import { writeContent } from './write-content.ts'
import type { FrameBase, WrittenBaseRoot } from '../base/frame-base.ts'
import type { Filter } from '../filters/filter.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { Choice } from '../policy/compression.ts'
import type { Cut } from '../policy/compression-options.ts'
import type { Layout } from '../policy/layout.ts'
import type { PutStore } from '../dag/block.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { AddFrameEvents } from '../events.ts'
import type { Frame, FrameCodec } from '../frames/compress-frames.ts'
import type { LateBase } from './pieces.ts'
import type { Beginning } from './take-frame.ts'
import type { WrittenContent } from './write-content.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export interface WriteFileOptions extends ProgressOptions<AddFrameEvents> {
  signal?: AbortSignal | null
  /** The most original bytes in the frames that are compressed at a time. */
  inFlightBytes: number
  /**
   * Whether the codec compresses on this thread at once, so that it cannot work on several frames.
   *
   * @default false
   */
  compressesAtOnce?: boolean | undefined
  /**
   * Compute the CID that the file has uncompressed and write it into the header. The header
   * grows, so the file's own CID changes.
   */
  contentCid: boolean
  /** Called when a base first helps that did not at the beginning. */
  onLateBase? (): void
}

/** A written file, and the CID of its uncompressed bytes if requested. */
export interface WrittenCompressedFile extends WrittenBaseRoot {
  contentCid?: CID
}

/** How to compress the frames of a file. */
interface FrameSettings extends Omit<Choice, 'codec'>, Omit<Layout, 'sampleSize'> {
  codec: FrameCodec
  /** Where frames end. */
  cut: Cut
  /** What the codec does to the bytes before it compresses them. */
  filters: readonly Filter[]
  /** What they may refer back to. */
  base?: FrameBase | undefined
  /** How it is found out from where on, if the beginning does not. */
  late?: LateBase | undefined
  /** The most bytes that the header takes to list them. With more, a table does. */
  maxListed: number
  /** The path of the file, for errors. */
  path?: string | undefined
}

export interface FileToWrite {
  beginning: Beginning
  settings: FrameSettings
  metadata: Metadata
}

/**
 * Write a compressed file: pieces -> frames -> leaves -> blocks -> root. Each step pulls
 * from the one before it and has a bounded number of items in progress, so memory does not
 * grow with the file.
 *
 * @param reader - positioned after the beginning
 * @throws {FileTooLargeError}
 */
// not async: most files of a tree are one frame, and each promise counts
export function writeFile (
  file: FileToWrite,
  reader: ByteReader,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<WrittenCompressedFile> {
  const { beginning, settings: { frameSize, leafSize, cut, base } } = file
  const maxLength = base == null ? MAX_LEAF_SIZE : leafSize

  return cut === 'size' && !options.contentCid && isWhole(beginning, frameSize, maxLength)
    ? writeOnlyFrame(file, beginning, blockstore, options)
    : writeFrames(file, reader, blockstore, options)
}

/** Write a file whose only frame has been compressed. */
async function writeOnlyFrame (
  file: FileToWrite,
  beginning: Beginning & { frame: Frame },
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<WrittenCompressedFile> {
  const { settings, metadata } = file
  const { codec, base } = settings
  const table = tableOf(settings)
  const { bytes, frame } = beginning
  emitFrame(options, 0, frame)
  await base?.checked

  if (base?.root != null && beginning.first != null && hasNoMetadata(metadata) && isBase(beginning.first, base)) {
    await frame.checked

    return base.root
  }

  const content = takeFrame(beginning, table, codec.name, base)
  const written = await writeRootOf({ ...content, table }, file, blockstore, options)

  if (frame.checked != null) {
    // beside writing: without its CID, a wrong file is garbage
    await frame.checked
    BufferPool.release(bytes)
  }

  return written
}

async function writeFrames (
  file: FileToWrite,
  reader: ByteReader,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<WrittenCompressedFile> {
  const { beginning, settings, metadata } = file
  const { codec, level, basedLevels, frameSize, leafSize, cut, base, late } = settings
  const table = tableOf(settings)
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

  if (first == null && start === bytes.byteLength && frame?.bytes.buffer !== bytes.buffer) {
    BufferPool.release(bytes)
  }

  const previous = frame == null ? undefined : first
  const aiding = { start, frameSize, comparing: basedLevels.length > 1, previous }
  const pieces = aidPieces(rest, base, aiding, late && {
    ...late,
    from: bytes.byteLength,
    reader,
    onFound: options.onLateBase
  })
  const compared = unchanged == null ? pieces : comparePieces(pieces, unchanged)
  const compressed = compressFrames(content == null ? compared : hashPieces(compared, content), {
    // the tables of a dictionary fill a core's cache: more frames than cores take a fifth more processor time
    codec: base == null ? codec : codecInTurns(codec),
    level,
    basedLevels,
    concurrency: options.compressesAtOnce === true
      ? 1
      : frameConcurrency(heldWithFrame(settings), options.inFlightBytes),
    signal: options.signal,
    onDone: reader instanceof BoundedReader ? piece => { reader.release(piece) } : undefined
  })
  const frames = prepend(frame == null ? [] : [frame], compressed)
  const stream = joinFrames(reportFrames(frames, options), table, codec.name, base)
  const leaves = cut === 'content' ? leafPerPart(stream) : packLeaves(stream, leafSize)
  const written = await writeContent(leaves, table, blockstore, options)
  pool.close()
  await base?.checked
  await frame?.checked
  const contentCid = await content?.digest()

  if (base?.root != null && unchanged?.isWhole(base.size) === true && hasNoMetadata(metadata) && content == null) {
    // if several leaves were written, they belong to nothing, and gc removes them
    return base.root
  }

  return writeRootOf({ ...written, table, contentCid }, file, blockstore, options)
}

/** Write the root of a file, and its leaf if that is the only one. */
async function writeRootOf (
  { table, contentCid, ...content }: WrittenContent & { table: FrameTable, contentCid?: CID | undefined },
  { settings: { codec, filters, base }, metadata }: FileToWrite,
  blockstore: PutStore,
  options: WriteFileOptions
): Promise<WrittenCompressedFile> {
  const named = contentCid == null ? {} : { contentCid }
  const filtered = filters.length === 0 ? {} : { filters }
  const header = { codec: codec.code, ...table.header, ...filtered, ...named }
  const link = table.isBased ? base?.link : undefined

  const written = await writeRoot({ ...content, header, base: link }, metadata, blockstore, options)

  return { ...written, code: codec.code, onlyIpfsz: needsIpfsz(header), ...named }
}

/** Bytes in memory with a frame: itself, and the part of a base that it refers to, or its filtered bytes. */
function heldWithFrame ({ frameSize, filters, base, late }: FrameSettings): number {
  const filtered = (filters.length === 0 ? 1 : 2) * frameSize

  if (base == null) {
    return filtered
  }

  return late == null ? (1 + REGION_RATIO) * filtered : Math.max(frameSize, (1 + REGION_RATIO) * late.basedSize)
}

function tableOf ({ frameSize, cut, maxListed, path }: FrameSettings): FrameTable {
  return new FrameTable({ frameSize, listsSizes: cut === 'content', maxListed, path })
}

function hasNoMetadata ({ mode, mtime }: Metadata): boolean {
  return mode == null && mtime == null
}
