import { promisify } from 'node:util'
import { zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { readExactly } from '../disk/disk.ts'
import { FRAME_SIZE, MAX_BLOCK_SIZE } from '../constants.ts'
import { DamagedPackError } from '../errors.ts'
import { rawRange, stripBlockHeaders } from '../format/raw-frame.ts'
import type { DiskFile } from '../disk/disk.ts'
import type { ZstdOptions } from 'node:zlib'

/** Up to this size, decompressing takes less than reaching the thread pool and waiting there. */
const MAX_SYNC = 256 * 1024
/** What a frame may hold beside a block: a frame that is not full, and the head of a section. */
const MAX_BESIDE = 2 * FRAME_SIZE + 128 * 1024

/** The least that zlib takes. */
const MIN_CHUNK = 64
/** Bytes of a frame's header at most. */
const MAX_HEADER = 18

const inPool = promisify(zstdDecompress as (bytes: Uint8Array, options: ZstdOptions, done: (
  err: Error | null, content: Buffer) => void) => void)

interface FramePlace {
  pack: string
  frame: number
  stored: number
}

/** Read a part of a raw frame. */
export async function readRaw (
  file: DiskFile,
  { pack, frame, stored }: FramePlace,
  start: number,
  length: number
): Promise<Uint8Array> {
  const range = rawRange(start, length)

  if (range.end > stored) {
    throw new DamagedPackError(pack, frame, 'the frame is too short')
  }

  return stripBlockHeaders(await readPlace(file, pack, frame + range.start, range.end - range.start), start, length)
}

/**
 * Read and decompress a frame.
 *
 * @param end - up to which byte it is needed: one that is much larger is no frame of ours
 */
export async function readCompressed (
  file: DiskFile,
  { pack, frame, stored }: FramePlace,
  end: number
): Promise<Uint8Array> {
  // no frame of ours is larger, whatever an index says: a few bytes may decompress to gigabytes
  if (end > MAX_BLOCK_SIZE + MAX_BESIDE) {
    throw new DamagedPackError(pack, frame, 'the frame would be too large')
  }

  const bytes = await readPlace(file, pack, frame, stored)
  const size = contentSize(bytes)
  const maxOutputLength = end + MAX_BESIDE
  // in one chunk: by default, zlib makes one for each 16 KiB, and joins them
  const options = { maxOutputLength, chunkSize: Math.max(MIN_CHUNK, Math.min(size, maxOutputLength)) }

  try {
    return end <= MAX_SYNC && stored <= MAX_SYNC ? zstdDecompressSync(bytes, options) : await inPool(bytes, options)
  } catch (cause) {
    throw new DamagedPackError(pack, frame, 'the frame does not decompress', { cause })
  }
}

/** The content size in a frame's header (RFC 8878, section 3.1.1.1), or 0. */
function contentSize (frame: Buffer): number {
  if (frame.byteLength < MAX_HEADER) {
    return 0
  }

  const descriptor = frame[4]
  const isSingleSegment = (descriptor & 0x20) !== 0
  // no dictionary: its ID would come before
  const at = isSingleSegment ? 5 : 6
  const kind = descriptor >> 6

  return kind === 0
    ? isSingleSegment ? frame[at] : 0
    : kind === 1 ? frame.readUInt16LE(at) + 256 : frame.readUInt32LE(at)
}

async function readPlace (file: DiskFile, pack: string, offset: number, length: number): Promise<Buffer> {
  // before memory is taken for it: an index may say anything
  if (offset + length > file.size()) {
    throw new DamagedPackError(pack, offset, 'the file ends before')
  }

  return readExactly(file, offset, length)
}
