import zlib from 'node:zlib'
import { ZSTD_WINDOW_LOG } from '../constants.ts'
import { FRAME } from '../frames/frame.ts'
import { zlibDecoder, zlibEncoder } from './zlib-stream.ts'
import type { StreamCodec } from '../codecs/stream-codec.ts'

const { ZSTD_c_compressionLevel, ZSTD_c_windowLog, ZSTD_d_windowLogMax, ZSTD_e_flush, Z_SYNC_FLUSH } = zlib.constants

/** The size of an output buffer, in bytes: a frame that lies about its size decodes to at most this many bytes more. */
const CHUNK_SIZE = 64 * 1024

/** One endless Zstandard frame (RFC 8878). Needs Node 22.15. */
export const zstdCodec: StreamCodec | undefined = typeof zlib.createZstdCompress === 'function'
  ? createZstdCodec()
  : undefined

/** One endless raw deflate stream (RFC 1951). */
export const deflateCodec: StreamCodec = {
  type: FRAME.deflate,
  id: 'deflate',
  independent: false,
  maxLevel: 9,
  createEncoder: level => zlibEncoder(zlib.createDeflateRaw({ chunkSize: CHUNK_SIZE, flush: Z_SYNC_FLUSH, level })),
  createDecoder: () => zlibDecoder('deflate', zlib.createInflateRaw({ chunkSize: CHUNK_SIZE }))
}

function createZstdCodec (): StreamCodec {
  return {
    type: FRAME.zstd,
    id: 'zstd',
    independent: false,
    maxLevel: 19,
    createEncoder: level => zlibEncoder(zlib.createZstdCompress({
      chunkSize: CHUNK_SIZE,
      flush: ZSTD_e_flush,
      params: { [ZSTD_c_compressionLevel]: level, [ZSTD_c_windowLog]: ZSTD_WINDOW_LOG }
    })),
    createDecoder: () => zlibDecoder(
      'zstd',
      zlib.createZstdDecompress({ chunkSize: CHUNK_SIZE, params: { [ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })
    )
  }
}
