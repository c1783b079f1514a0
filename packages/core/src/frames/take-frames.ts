import { isMovable, moveBytes } from '@ipfsz/utils/free-bytes'
import { BufferPool } from './buffer-pool.ts'
import { isInPlace } from './compressed-file.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { CompressedFile, RegionSource } from './compressed-file.ts'
import type { FrameRun } from './frame-runs.ts'
import type { Region } from '../format/header.ts'

/**
 * How many frames ahead the regions of frames are read. A piece of the base may hold those of eight, and several pieces
 * are decompressed at a time.
 */
const REGIONS_AHEAD = 24

/** A compressed frame, and the range of original bytes that it holds. */
export interface ReadFrame {
  number: number
  bytes: Uint8Array
  /** Bytes of the frame. Once it is decompressed, `bytes` may have none. */
  length: number
  /** The memory of `bytes` if they are a copy, from a pool. Else they are a part of a block, which others may hold. */
  memory?: Uint8Array | undefined
  start: number
  size: number
  /** The region of the base that it refers back to. Undefined, or empty, if there is none. */
  region?: Region | undefined
}

export interface TakeFramesOptions {
  /** Whether the file's base begins to read the regions of the frames that follow. */
  readAhead?: boolean | undefined
  /** Whether a chunk of the reader lasts only until the next one is requested. */
  isTransient?: ((chunk: Uint8Array) => boolean) | undefined
}

/** The frames of a run. The reader must be positioned at the first one. */
export async function * takeFrames (
  reader: ByteReader,
  { first, start, frames }: FrameRun,
  { base, codec }: Pick<CompressedFile, 'base' | 'codec'>,
  { readAhead = true, isTransient = () => false }: TakeFramesOptions = {}
): AsyncGenerator<ReadFrame> {
  const pool = new BufferPool(frames.reduce((most, { length }) => Math.max(most, length), 0))
  const ahead = readAhead ? frames : []

  for (const { region } of ahead.slice(0, REGIONS_AHEAD)) {
    prepareRegion(region, base)
  }

  try {
    for (const [i, { length, size, region }] of frames.entries()) {
      prepareRegion(ahead.at(i + REGIONS_AHEAD)?.region, base)
      // memory that a worker takes over is not used again
      const capacity = isInPlace(codec) ? pool.size : length
      const bytes = await takeFrame(reader, { length, capacity }, pool, isTransient)

      yield { number: first + i, ...bytes, length, start, size, region }
      start += size
    }
  } finally {
    pool.close()
  }
}

function prepareRegion (region?: Region, base?: RegionSource): void {
  if (region != null && region.length > 0) {
    base?.prepare(region)
  }
}

/**
 * Take a frame from the reader. A frame that lies in one chunk is not copied: it is a part of that chunk, or takes over
 * the memory of a transient chunk that holds nothing else. Any other frame is copied.
 *
 * @param capacity - bytes of memory for a copy
 */
async function takeFrame (
  reader: ByteReader,
  { length, capacity }: { length: number, capacity: number },
  pool: BufferPool,
  isTransient: (chunk: Uint8Array) => boolean
): Promise<Pick<ReadFrame, 'bytes' | 'memory'>> {
  const chunk = await reader.chunk()

  if (chunk != null && chunk.byteLength >= length && !isTransient(chunk)) {
    return { bytes: await reader.read(length) }
  }

  if (chunk?.byteLength === length && isMovable(chunk)) {
    const memory = moveBytes(await reader.read(length))
    pool.adopt(memory)

    return { bytes: memory, memory }
  }

  const memory = pool.take(capacity)
  const filled = await reader.readInto(memory.subarray(0, length))

  return { bytes: memory.subarray(0, filled), memory }
}
