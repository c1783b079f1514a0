import { checkGzipChecksum, decodeGzipMember, encodeGzipMember } from '../format/gzip/gzip-member.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

/** Up to this size, compressing takes less than a millisecond at any level, so it runs on the calling thread. */
const MAX_SYNC_SIZE = 16 * 1024

/** Ends the stream at a byte boundary, without a final block (zlib.h). */
const Z_SYNC_FLUSH = 2

/** Passes only the deflate stream to zlib: gunzip would go on into a second member. */
export function create (): Implementation {
  return {
    compress: async (bytes, level) => encodeGzipMember(
      await zlibCompress('deflateRaw', bytes, { level, finishFlush: Z_SYNC_FLUSH }, MAX_SYNC_SIZE),
      bytes
    ),

    async decompress (frame, size, options) {
      const bytes = await zlibDecompress('gzip', decodeGzipMember(frame, size), size, options)

      checkGzipChecksum(frame, bytes)

      return bytes
    }
  }
}
