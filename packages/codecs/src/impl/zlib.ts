import { markResult } from '@ipfsz/utils/free-bytes'
import { runZlib } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import type { ZlibOutput } from '../platform/zlib-output.ts'

/** The functions of zlib that decompress frames, by codec. */
const DECOMPRESSORS = { brotli: 'brotliDecompress', gzip: 'inflateRaw', zstd: 'zstdDecompress' } as const

type Compressor = 'deflateRaw' | 'brotliCompress'

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
 * @param into - memory for the output
 */
export async function zlibDecompress (
  codec: keyof typeof DECOMPRESSORS,
  frame: Uint8Array,
  size: number,
  { dictionary, into }: { dictionary?: Uint8Array | undefined, into?: Uint8Array | undefined } = {}
): Promise<Uint8Array> {
  const chunkSize = Math.max(MIN_CHUNK_SIZE, size + 1)
  const { bytes, consumed } = await runZlib(DECOMPRESSORS[codec], frame, {
    chunkSize,
    maxOutputLength: Math.max(1, size),
    ...dictionary == null ? {} : { dictionary },
    ...into == null || into.byteLength < chunkSize ? {} : { into }
  }, Math.max(frame.byteLength, size) <= MAX_SYNC_SIZE)

  if (consumed !== frame.byteLength) {
    throw new CorruptFrameError(codec, 'other bytes follow it')
  }

  return bytes
}

/**
 * Compress with zlib.
 *
 * @param maxSyncSize - up to this size, compress on the calling thread
 */
export function zlibCompress (
  name: Compressor,
  bytes: Uint8Array,
  options: {
    level?: number
    finishFlush?: number
    params?: Record<number, number>
  },
  maxSyncSize: number
): Uint8Array | Promise<Uint8Array> {
  // half of the input is enough for most compressible content, and larger buffers cost more than they save
  const chunkSize = Math.max(MIN_CHUNK_SIZE, bytes.byteLength >> 1)
  const result = runZlib(name, bytes, { ...options, chunkSize }, bytes.byteLength <= maxSyncSize)

  return 'then' in result ? result.then(takeResult) : result.bytes
}

/** The bytes of a result, noted as alone in their memory if they are. */
function takeResult ({ bytes, isAlone = false }: ZlibOutput): Uint8Array {
  if (isAlone) {
    markResult(bytes)
  }

  return bytes
}
