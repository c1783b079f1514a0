import { promisify } from 'node:util'
import { zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { zstdDecompressKept } from '@ipfsz/utils/zstd-kept'
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

/** The bytes of the frame that is read synchronously, with the headers of its blocks. */
const scratch = Buffer.allocUnsafeSlow(MAX_SYNC + 1024)

/** Decompress in Node's thread pool. */
export const zstdInPool = promisify(zstdDecompress as (bytes: Uint8Array, options: ZstdOptions, done: (
  err: Error | null, content: Buffer) => void) => void)

interface FramePlace {
  pack: string
  frame: number
  stored: number
}

/** Whether so many bytes are read, or decompressed, in less time than reaching the thread pool takes. */
export function isSmall (size: number): boolean {
  return size <= MAX_SYNC
}

export async function readRaw (file: DiskFile, place: FramePlace, start: number, length: number): Promise<Uint8Array> {
  const { position, size } = rawPlace(place, start, length)
  checkEnd(file, place.pack, position, size)

  return stripBlockHeaders(await readExactly(file, position, size), start, length)
}

/**
 * The same, synchronously, of a small part.
 *
 * @param isOwn - whether the memory is the caller's. Else it is valid until something else is read
 */
export function readRawNow (
  file: DiskFile,
  place: FramePlace,
  { start, length, isOwn }: { start: number, length: number, isOwn: boolean }
): Uint8Array {
  const { position, size } = rawPlace(place, start, length)
  const bytes = isOwn ? Buffer.allocUnsafeSlow(size) : scratch.subarray(0, size)

  if (file.readNow(bytes, position) < size) {
    throw new DamagedPackError(place.pack, place.frame, 'the file ends before')
  }

  return stripBlockHeaders(bytes, start, length)
}

function rawPlace ({ pack, frame, stored }: FramePlace, start: number, length: number): {
  position: number
  size: number
} {
  const range = rawRange(start, length)

  if (range.end > stored) {
    throw new DamagedPackError(pack, frame, 'the frame is too short')
  }

  return { position: frame + range.start, size: range.end - range.start }
}

/**
 * Read and decompress a frame.
 *
 * @param end - up to which byte it is needed: one that is much larger is no frame of ours
 */
export async function decompress (file: DiskFile, place: FramePlace, end: number): Promise<Uint8Array> {
  const { pack, frame, stored } = place

  checkSize(pack, frame, end)
  checkEnd(file, pack, frame, stored)
  const bytes = await readExactly(file, frame, stored)

  try {
    const content = await zstdInPool(bytes, optionsOf(bytes, end))
    // not after a failure: then a thread may still read it
    freeBytes(bytes)

    return content
  } catch (cause) {
    throw new DamagedPackError(pack, frame, 'the frame does not decompress', { cause })
  }
}

/**
 * The same, synchronously.
 *
 * @param memory - is used if the frame fits into it
 */
export function decompressNow (file: DiskFile, place: FramePlace, end: number, memory: Buffer): Uint8Array {
  const { pack, frame, stored } = place
  const bytes = scratch.subarray(0, stored)

  if (file.readNow(bytes, frame) < stored) {
    throw new DamagedPackError(pack, frame, 'the file ends before')
  }

  const size = contentSize(bytes)
  const content = size > 0 && size < memory.byteLength ? zstdDecompressKept(bytes, size, memory) : undefined

  if (content != null) {
    return content
  }

  try {
    return zstdDecompressSync(bytes, optionsOf(bytes, end))
  } catch (cause) {
    throw new DamagedPackError(pack, frame, 'the frame does not decompress', { cause })
  }
}

/** No frame of ours is larger, whatever an index says: a few bytes may decompress to gigabytes. */
export function checkSize (pack: string, frame: number, end: number): void {
  if (end > MAX_BLOCK_SIZE + MAX_BESIDE) {
    throw new DamagedPackError(pack, frame, 'the frame would be too large')
  }
}

/** How to decompress a frame of ours that is needed up to some byte. */
export function optionsOf (bytes: Uint8Array, end: number): ZstdOptions {
  const maxOutputLength = end + MAX_BESIDE

  // in one chunk: by default, zlib makes one for each 16 KiB, and joins them. It asks for more when one is full
  return { maxOutputLength, chunkSize: Math.max(MIN_CHUNK, Math.min(contentSize(bytes) + 1, maxOutputLength)) }
}

/** The content size in a frame's header (RFC 8878, section 3.1.1.1), or 0. */
function contentSize (bytes: Uint8Array): number {
  if (bytes.byteLength < MAX_HEADER) {
    return 0
  }

  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, MAX_HEADER)

  const descriptor = frame[4]
  const isSingleSegment = (descriptor & 0x20) !== 0
  // no dictionary: its ID would come before
  const at = isSingleSegment ? 5 : 6
  const kind = descriptor >> 6

  return kind === 0
    ? isSingleSegment ? frame[at] : 0
    : kind === 1 ? frame.readUInt16LE(at) + 256 : frame.readUInt32LE(at)
}

/** Before memory is taken for it: an index may say anything. */
function checkEnd (file: DiskFile, pack: string, position: number, length: number): void {
  if (position + length > file.size()) {
    throw new DamagedPackError(pack, position, 'the file ends before')
  }
}
