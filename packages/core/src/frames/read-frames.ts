import { ByteReader } from '../util/byte-reader.ts'
import { readTransient } from '../dag/read.ts'
import { UnknownCodecError } from '../errors.ts'
import { emit } from '../events.ts'
import { frameConcurrency } from './frame-concurrency.ts'
import { frameRuns, lengthOfRun } from './frame-runs.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { undoFilters } from '../filters/filters.ts'
import { freeBytes } from '../util/bytes.ts'
import { codecName } from '../marker.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadOptions } from '../dag/read.ts'
import type { CatFrameEvents } from '../events.ts'
import type { FrameRun } from './frame-runs.ts'
import type { Header, Region } from '../format/header.ts'
import type { Codec } from '@ipfsz/codecs'
import type { ExporterProgressEvents } from 'ipfs-unixfs-exporter'
import type { ProgressOptions } from 'progress-events'

/** How many frames ahead the regions of frames are read: a piece of the base may hold those of several. */
const REGIONS_AHEAD = 8

export interface CompressedFile {
  node: FileNode
  header: Header
  codec: Codec
  /** Reads regions of the base, if the file has one. */
  base?: RegionSource | undefined
}

/** The original content of a base. */
export interface RegionSource {
  /** The original bytes of a region, which must not be changed. */
  read (region: Region): Promise<Uint8Array>
  /** Begin to read a region that will soon be asked for. Errors are those of `read`. */
  prepare (region: Region): void
}

export interface ReadFramesOptions extends
  Omit<ReadOptions, 'onProgress'>,
  ProgressOptions<CatFrameEvents | ExporterProgressEvents> {
  /** The most original bytes in the frames that are decompressed at a time. */
  inFlightBytes: number
  /** See `CatOptions`. */
  transient?: boolean | undefined
}

/** A compressed frame, and the range of original bytes that it holds. */
interface ReadFrame {
  number: number
  bytes: Uint8Array
  /** Bytes of the frame. Once it is decompressed, `bytes` may have none. */
  length: number
  /** Whether the memory of `bytes` is its own: a copy, not a part of a block, which others may hold. */
  isCopy: boolean
  start: number
  size: number
  /** The region of the base that it refers back to. Undefined, or empty, if there is none. */
  region?: Region | undefined
}

interface DecompressedFrame {
  frame: ReadFrame
  /** The original bytes of the frame. */
  bytes: Uint8Array
  /** Whether nothing else refers to their memory: a codec may return a part of the frame. */
  isOwn: boolean
}

/**
 * The original bytes of a file from `start` to `end` (exclusive): blocks -> frames -> bytes.
 * Fetches only the frames that hold them, and decompresses a bounded number at a time.
 *
 * @throws {CorruptFrameError} a frame is damaged
 */
export async function * readFrames (
  file: CompressedFile,
  start: number,
  end: number,
  blockstore: GetStore,
  options: ReadFramesOptions
): AsyncGenerator<Uint8Array> {
  if (start === end) {
    return
  }

  // while the first blocks are read
  file.codec.prepare?.({ to: 'decompress', calls: Math.ceil((end - start) / file.header.frameSize) })
  const compressed = fetchFrames(file, start, end, blockstore, options)

  for await (const { frame, bytes, isOwn } of decompressFrames(file, compressed, options)) {
    yield bytes.subarray(Math.max(start - frame.start, 0), Math.min(end - frame.start, frame.size))

    if (isOwn && options.transient === true) {
      freeBytes(bytes)
    }
  }
}

/** Decompress frames, a bounded number at a time, and report each one. */
export async function * decompressFrames (
  { codec, header, base }: CompressedFile,
  frames: AsyncIterable<ReadFrame>,
  options: ReadFramesOptions
): AsyncGenerator<DecompressedFrame> {
  const { signal } = options
  // a frame and its dictionary are in memory together
  const held = (header.filters == null ? 1 : 2) * header.frameSize + largestRegion(header)
  const concurrency = frameConcurrency(held, options.inFlightBytes)

  const decompressed = mapOrdered(frames, async frame => {
    const { region, size, isCopy: transfer } = frame
    const dictionary = region == null || region.length === 0 ? undefined : await base?.read(region)
    const options = { size, signal, transfer, ...dictionary == null ? {} : { dictionary } }
    const decoded = await codec.decompress(frame.bytes, options)
    const bytes = header.filters == null ? decoded : undoFilters(own(decoded, frame.bytes), header.filters)

    const isInFrame = bytes.buffer === frame.bytes.buffer

    if (frame.isCopy && !isInFrame) {
      freeBytes(frame.bytes)
    }

    return { frame, bytes, isOwn: frame.isCopy || !isInFrame }
  }, { concurrency, signal })

  for await (const { frame, bytes, isOwn } of decompressed) {
    emit(options, 'ipfsz:cat:frame', { frame: frame.number, size: frame.size, length: frame.length })
    yield { frame, bytes, isOwn }
  }
}

/** The bytes of the largest region of a file. */
function largestRegion ({ regions = [], table }: Header): number {
  const lengths = table?.regions?.map(({ largest }) => largest) ?? regions.map(({ length }) => length)

  return lengths.reduce((largest, length) => Math.max(largest, length), 0)
}

/** Bytes that may change: a codec may return a part of the frame, which others read. */
function own (bytes: Uint8Array, frame: Uint8Array): Uint8Array {
  return bytes.buffer === frame.buffer ? bytes.slice() : bytes
}

async function * fetchFrames (
  file: CompressedFile,
  start: number,
  end: number,
  blockstore: GetStore,
  options: ReadFramesOptions
): AsyncGenerator<ReadFrame> {
  for await (const run of frameRuns(file, start, end, blockstore, options)) {
    const { position } = run
    const stored = readTransient(file.node, position, position + lengthOfRun(run), blockstore, options)
    const reader = new ByteReader(stored, options.signal)

    try {
      yield * takeFrames(reader, run, file.base, bytes => blockstore.isUnshared?.(bytes) === true)
    } finally {
      reader.close()
    }
  }
}

/**
 * The frames of a run. The reader must be positioned at the first one.
 *
 * @param base - begins to read the regions of the frames that follow
 * @param isTransient - whether a chunk of the reader lasts only until the next one is requested
 */
export async function * takeFrames (
  reader: ByteReader,
  { first, start, frames }: FrameRun,
  base?: RegionSource,
  isTransient: (chunk: Uint8Array) => boolean = () => false
): AsyncGenerator<ReadFrame> {
  for (const { region } of frames.slice(0, REGIONS_AHEAD)) {
    prepareRegion(region, base)
  }

  for (const [i, { length, size, region }] of frames.entries()) {
    prepareRegion(frames.at(i + REGIONS_AHEAD)?.region, base)
    const bytes = await takeFrame(reader, length, isTransient)

    yield { number: first + i, ...bytes, length, start, size, region }
    start += size
  }
}

function prepareRegion (region?: Region, base?: RegionSource): void {
  if (region != null && region.length > 0) {
    base?.prepare(region)
  }
}

/** Returns a part of a chunk if that lasts and has all of the frame, else a copy. */
async function takeFrame (
  reader: ByteReader,
  length: number,
  isTransient: (chunk: Uint8Array) => boolean
): Promise<Pick<ReadFrame, 'bytes' | 'isCopy'>> {
  const chunk = await reader.chunk()

  if (chunk != null && chunk.byteLength >= length && !isTransient(chunk)) {
    return { bytes: await reader.read(length), isCopy: false }
  }

  const bytes = new Uint8Array(length)
  const filled = await reader.readInto(bytes)

  return { bytes: bytes.subarray(0, filled), isCopy: true }
}

/**
 * The codec of a file.
 *
 * @throws {UnknownCodecError} it is not among `codecs`
 */
export function codecOf (header: Pick<Header, 'codec'>, codecs: readonly Codec[]): Codec {
  const codec = codecs.find(codec => codec.code === header.codec)

  if (codec == null) {
    throw new UnknownCodecError(codecName(header.codec) ?? header.codec, codecs.map(codec => codec.name))
  }

  return codec
}
