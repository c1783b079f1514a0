import { unseal } from '@ipfsz/codecs/sealed'
import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { freeBytes, SPARE } from '@ipfsz/utils/free-bytes'
import { BufferPool } from './buffer-pool.ts'
import { isInPlace } from './compressed-file.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { readTransient } from '../dag/read.ts'
import { emit } from '../events.ts'
import { decompressBased } from './decompress-based.ts'
import { frameConcurrency } from './frame-concurrency.ts'
import { frameRuns, lengthOfRun } from './frame-runs.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { readOnlyFrame } from './read-only-frame.ts'
import { takeFrames } from './take-frames.ts'
import { prepareFilters, undoFilters } from '../filters/filters.ts'
import type { CompressedFile } from './compressed-file.ts'
import type { GetStore } from '../dag/block.ts'
import type { ByteRange, ReadOptions } from '../dag/read.ts'
import type { CatFrameEvents } from '../events.ts'
import type { ReadFrame } from './take-frames.ts'
import type { Header } from '../format/header.ts'
import type { ExporterProgressEvents } from 'ipfs-unixfs-exporter'
import type { ProgressOptions } from 'progress-events'

export interface ReadFramesOptions extends
  Omit<ReadOptions, 'onProgress'>,
  ProgressOptions<CatFrameEvents | ExporterProgressEvents> {
  /** Maximum original bytes in the frames that are decompressed at a time. */
  inFlightBytes: number
  /** See `CatOptions`. */
  transient?: boolean | undefined
  /** Whether nothing else may refer to the memory of what is returned, so that the caller may free it. */
  owned?: boolean | undefined
}

interface DecompressedFrame {
  frame: ReadFrame
  /** The original bytes of the frame. */
  bytes: Uint8Array
  /**
   * With `transient`: free the memory of the bytes, or use it again, unless they are a part of a block. They are empty
   * afterwards.
   */
  release (): void
}

/**
 * The original bytes of a range of a file: blocks -> frames -> bytes.
 * Fetches only the frames that hold them, and decompresses a bounded number at a time.
 *
 * @throws {CorruptFrameError} a frame is damaged
 * @throws {WrongBaseError} a frame was not made with the base that the file names
 * @throws {BaseTooCostlyError} the frames need too much of the base
 */
export async function * readFrames (
  file: CompressedFile,
  range: ByteRange,
  blockstore: GetStore,
  options: ReadFramesOptions
): AsyncGenerator<Uint8Array> {
  const { start, end } = range

  if (start === end) {
    return
  }

  const only = readOnlyFrame(file, options)

  if (only != null) {
    yield only.subarray(start, end)
    return
  }

  // while the first blocks are read
  file.codec.prepare?.({ to: 'decompress', calls: Math.ceil((end - start) / file.header.frameSize) })
  const compressed = fetchFrames(file, range, blockstore, options)

  for await (const { frame, bytes, release } of decompressFrames(file, compressed, options)) {
    const part = bytes.subarray(Math.max(start - frame.start, 0), Math.min(end - frame.start, frame.size))
    const isShared = bytes.buffer === frame.bytes.buffer && frame.memory == null

    yield options.owned === true && isShared ? part.slice() : part
    release()
  }
}

/** Decompress frames, a bounded number at a time, and report each one. */
export async function * decompressFrames (
  { node, codec, header, base }: CompressedFile,
  frames: AsyncIterable<ReadFrame>,
  options: ReadFramesOptions
): AsyncGenerator<DecompressedFrame> {
  const { signal, transient = false } = options
  // a frame and its dictionary are in memory together
  const held = (header.filters == null ? 1 : 2) * header.frameSize + largestRegion(header)
  const concurrency = options.readAhead === false ? 1 : frameConcurrency(held, options.inFlightBytes)
  // others may keep what they are given, and of a single frame there is nothing to use again
  const pool = transient && isInPlace(codec) && header.size > header.frameSize
    ? new BufferPool(header.frameSize + SPARE)
    : undefined

  const breaks = new EventLoopBreaks()

  const decompressed = mapOrdered(frames, async frame => {
    const { region, size } = frame
    const dictionary = region == null || region.length === 0 ? undefined : await base?.read(region, size)

    // such frames may be decompressed on this thread
    if (dictionary != null && breaks.isDue()) {
      await breaks.take()
    }

    const into = pool?.take(pool.size)
    const compressed = header.filters == null ? frame.bytes : unseal(codec.name, ownFrame(frame))
    const transfer = frame.memory != null || compressed.buffer !== frame.bytes.buffer
    const settings = { size, signal, transfer, into, ...dictionary == null ? {} : { dictionary } }
    const decompress = async (): Promise<Uint8Array> => codec.decompress(compressed, settings)
    const prepared = header.filters == null ? undefined : prepareFilters()
    // if it fails, a thread may still read and write this memory: it stays garbage
    const decoded = await (dictionary == null || base == null
      ? decompress()
      : decompressBased(node.cid, base.cid, decompress))
    await prepared
    const bytes = header.filters == null ? decoded : undoFilters(own(decoded, frame.bytes), header.filters)
    const lent = [frame.memory, into].filter(memory => memory != null)
    const used = lent.find(({ buffer }) => buffer === bytes.buffer)

    lent.filter(memory => memory !== used).forEach(memory => { BufferPool.release(memory) })

    const release = (): void => {
      if (transient && used != null) {
        BufferPool.reclaim(used)
      } else if (transient && bytes.buffer !== frame.bytes.buffer) {
        freeBytes(bytes)
      }
    }

    return { frame, bytes, release }
  }, { concurrency, signal })

  try {
    for await (const { frame, bytes, release } of decompressed) {
      emit(options, 'ipfsz:cat:frame', { frame: frame.number, size: frame.size, length: frame.length })
      yield { frame, bytes, release }
    }
  } finally {
    pool?.close()
  }
}

export function largestRegion ({ regions = [], table }: Header): number {
  const lengths = table?.regions?.map(({ largest }) => largest) ?? regions.map(({ length }) => length)

  return lengths.reduce((largest, length) => Math.max(largest, length), 0)
}

/** Bytes that may change: a codec may return a part of the frame, which others read. */
function own (bytes: Uint8Array, frame: Uint8Array): Uint8Array {
  return bytes.buffer === frame.buffer ? bytes.slice() : bytes
}

/** The bytes of a frame, so that they may change: others read the block that one is a part of. */
function ownFrame ({ bytes, memory }: ReadFrame): Uint8Array {
  return memory == null ? bytes.slice() : bytes
}

async function * fetchFrames (
  file: CompressedFile,
  range: ByteRange,
  blockstore: GetStore,
  options: ReadFramesOptions
): AsyncGenerator<ReadFrame> {
  for await (const run of frameRuns(file, range, blockstore, options)) {
    const { position: start } = run
    const stored = readTransient(file.node, { start, end: start + lengthOfRun(run) }, blockstore, options)
    const reader = new ByteReader(stored, options.signal)

    try {
      yield * takeFrames(reader, run, file, {
        readAhead: options.readAhead,
        isTransient: bytes => blockstore.isUnshared?.(bytes) === true
      })
    } finally {
      reader.close()
    }
  }
}
