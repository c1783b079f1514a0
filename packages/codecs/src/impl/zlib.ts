import { runZlib } from '#platform'
import type { CorruptFrameError } from '../errors.ts'

type Decompressor = 'zstdDecompress' | 'inflateRaw' | 'brotliDecompress'
type Compressor = 'zstdCompress' | 'deflateRaw' | 'brotliCompress'

/** The least output buffer that zlib takes, in bytes. */
const MIN_CHUNK_SIZE = 64

/**
 * So many bytes are decompressed at once, on this thread: that takes a tenth of a
 * millisecond, and the way to a thread and back three times as long.
 */
const AT_ONCE = 64 * 1024

/**
 * Decompress with zlib into at most `size` bytes, using up every byte given.
 *
 * The output buffer is one byte larger than the output: were it just as large,
 * zlib would have to be asked again, with a second buffer, whether it is done.
 * With its own default of 16 KiB, reading takes twice the time.
 */
export async function zlibDecompress (name: Decompressor, frame: Uint8Array, size: number, corrupt: (reason: string) => CorruptFrameError): Promise<Uint8Array> {
  const { bytes, consumed } = await runZlib(name, frame, {
    chunkSize: Math.max(MIN_CHUNK_SIZE, size + 1),
    maxOutputLength: Math.max(1, size)
  }, Math.max(frame.byteLength, size) <= AT_ONCE)

  if (consumed !== frame.byteLength) {
    throw corrupt('other bytes follow it')
  }

  return bytes
}

/**
 * Compress with zlib. The output buffers are half as large as the input: most of
 * what is worth compressing fits into one, and larger ones cost more than they save.
 *
 * @param atOnce - how many bytes are compressed on this thread, in less than a millisecond
 */
export async function zlibCompress (name: Compressor, bytes: Uint8Array, options: { level?: number, pledgedSrcSize?: number, params?: Record<number, number> }, atOnce: number): Promise<Uint8Array> {
  const result = await runZlib(name, bytes, {
    ...options,
    chunkSize: Math.max(MIN_CHUNK_SIZE, bytes.byteLength >> 1)
  }, bytes.byteLength <= atOnce)

  return result.bytes
}
