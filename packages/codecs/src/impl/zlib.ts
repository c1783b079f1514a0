import { runZlib } from '#platform'
import type { CorruptFrameError } from '../errors.ts'

type Decompressor = 'zstdDecompress' | 'inflateRaw' | 'brotliDecompress'
type Compressor = 'zstdCompress' | 'deflateRaw' | 'brotliCompress'

/** The smallest output buffer that zlib accepts, in bytes. */
const MIN_CHUNK_SIZE = 64

/**
 * Up to this size, frames are decompressed on the calling thread: that takes 0.1 ms, and
 * reaching the thread pool and back three times as long.
 */
const MAX_SYNC_SIZE = 64 * 1024

/**
 * Decompress a whole frame with zlib into at most `size` bytes.
 *
 * The output buffer is one byte larger than the output. Otherwise zlib would need a second
 * buffer just to find out that it is done. With the default of 16 KiB, reading takes twice as
 * long.
 *
 * @param dictionary - for zstd. Node copies it on the calling thread in either case
 */
export async function zlibDecompress (
  name: Decompressor,
  frame: Uint8Array,
  size: number,
  corrupt: (reason: string) => CorruptFrameError,
  dictionary?: Uint8Array
): Promise<Uint8Array> {
  const { bytes, consumed } = await runZlib(name, frame, {
    chunkSize: Math.max(MIN_CHUNK_SIZE, size + 1),
    maxOutputLength: Math.max(1, size),
    ...dictionary == null ? {} : { dictionary }
  }, Math.max(frame.byteLength, size) <= MAX_SYNC_SIZE)

  if (consumed !== frame.byteLength) {
    throw corrupt('other bytes follow it')
  }

  return bytes
}

/**
 * Compress with zlib. Output buffers are half as large as the input: that is enough for most
 * compressible content, and larger ones cost more than they save.
 *
 * @param maxSyncSize - up to this size, compress on the calling thread
 */
export async function zlibCompress (
  name: Compressor,
  bytes: Uint8Array,
  options: {
    level?: number
    finishFlush?: number
    pledgedSrcSize?: number
    dictionary?: Uint8Array
    params?: Record<number, number>
  },
  maxSyncSize: number
): Promise<Uint8Array> {
  const result = await runZlib(name, bytes, {
    ...options,
    chunkSize: Math.max(MIN_CHUNK_SIZE, bytes.byteLength >> 1)
  }, bytes.byteLength <= maxSyncSize)

  return result.bytes
}
