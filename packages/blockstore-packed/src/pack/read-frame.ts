import { promisify } from 'node:util'
import { zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { readExactly } from '../disk/disk.ts'
import { FRAME_SIZE } from '../constants.ts'
import { DamagedPackError } from '../errors.ts'
import { rawRange, stripBlockHeaders } from '../format/raw-frame.ts'
import type { DiskFile } from '../disk/disk.ts'
import type { ZstdOptions } from 'node:zlib'

/** Up to this size, decompressing takes less than reaching the thread pool and waiting there. */
const MAX_SYNC = 256 * 1024
/** What a frame may hold beside a block: a frame that is not full, and the head of a section. */
const MAX_BESIDE = 2 * FRAME_SIZE + 128 * 1024

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
  const bytes = await readPlace(file, pack, frame, stored)
  const options = { maxOutputLength: end + MAX_BESIDE }

  try {
    return end <= MAX_SYNC && stored <= MAX_SYNC ? zstdDecompressSync(bytes, options) : await inPool(bytes, options)
  } catch (cause) {
    throw new DamagedPackError(pack, frame, 'the frame does not decompress', { cause })
  }
}

async function readPlace (file: DiskFile, pack: string, offset: number, length: number): Promise<Buffer> {
  // before memory is taken for it: an index may say anything
  if (offset + length > file.size()) {
    throw new DamagedPackError(pack, offset, 'the file ends before')
  }

  return readExactly(file, offset, length)
}
