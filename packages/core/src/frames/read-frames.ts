import { ByteReader } from '../util/byte-reader.ts'
import { readRange } from '../dag/read.ts'
import { UnknownCodecError } from '../errors.ts'
import { emit } from '../events.ts'
import { frameConcurrency } from './frame-concurrency.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { codecName } from '../marker.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadOptions } from '../dag/read.ts'
import type { CatFrameEvents } from '../events.ts'
import type { Header } from '../format/header.ts'
import type { Codec } from '@ipfsz/codecs'
import type { ExporterProgressEvents } from 'ipfs-unixfs-exporter'
import type { ProgressOptions } from 'progress-events'

export interface CompressedFile {
  node: FileNode
  header: Header
  codec: Codec
}

export interface ReadFramesOptions extends
  Omit<ReadOptions, 'onProgress'>,
  ProgressOptions<CatFrameEvents | ExporterProgressEvents> {
  /** The most original bytes in the frames that are decompressed at a time. */
  inFlightBytes: number
}

/** A compressed frame, and the range of original bytes that it holds. */
interface ReadFrame {
  number: number
  bytes: Uint8Array
  start: number
  size: number
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

  const compressed = fetchFrames(file, start, end, blockstore, options)

  for await (const { frame, bytes } of decompressFrames(file, compressed, options)) {
    yield bytes.subarray(Math.max(start - frame.start, 0), Math.min(end - frame.start, frame.size))
  }
}

/** Decompress frames, a bounded number at a time, and report each one. */
export async function * decompressFrames (
  { codec, header }: CompressedFile,
  frames: AsyncIterable<ReadFrame>,
  options: ReadFramesOptions
): AsyncGenerator<{ frame: ReadFrame, bytes: Uint8Array }> {
  const concurrency = frameConcurrency(header.frameSize, options.inFlightBytes)

  const decompressed = mapOrdered(frames, async frame => ({
    frame,
    bytes: await codec.decompress(frame.bytes, { size: frame.size, signal: options.signal })
  }), { concurrency, signal: options.signal })

  for await (const { frame, bytes } of decompressed) {
    emit(options, 'ipfsz:cat:frame', { frame: frame.number, size: frame.size, length: frame.bytes.byteLength })
    yield { frame, bytes }
  }
}

async function * fetchFrames (
  { node, header }: CompressedFile,
  start: number,
  end: number,
  blockstore: GetStore,
  options: ReadFramesOptions
): AsyncGenerator<ReadFrame> {
  const { frameSize, frameLengths } = header
  const first = Math.floor(start / frameSize)
  const last = Math.floor((end - 1) / frameSize)
  const streamStart = sum(frameLengths.slice(0, first))
  const streamEnd = streamStart + sum(frameLengths.slice(first, last + 1))
  const reader = new ByteReader(readRange(node, streamStart, streamEnd, blockstore, options), options.signal)

  try {
    yield * takeFrames(reader, header, first, last)
  } finally {
    reader.close()
  }
}

/** The frames `first` to `last`. The reader must be positioned at the first one. */
export async function * takeFrames (
  reader: ByteReader,
  { frameSize, frameLengths, size }: Header,
  first: number,
  last: number
): AsyncGenerator<ReadFrame> {
  for (let number = first; number <= last; number++) {
    yield {
      number,
      bytes: await reader.read(frameLengths[number]),
      start: number * frameSize,
      size: Math.min(frameSize, size - number * frameSize)
    }
  }
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

function sum (lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0)
}
