import { CorruptFrameError } from '../errors.ts'
import { checkGzipChecksum, decodeGzipMember, encodeGzipMember } from '../format/gzip/gzip-member.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

/** So many bytes take less than a millisecond, at any level. */
const AT_ONCE = 16 * 1024

/** The deflate stream alone goes through zlib: its gunzip would read on into a second member. */
export function create (): Implementation {
  return {
    compress: async (bytes, level) => encodeGzipMember(await zlibCompress('deflateRaw', bytes, { level }, AT_ONCE), bytes),

    async decompress (frame, size) {
      const deflated = decodeGzipMember(frame, size)
      const bytes = await zlibDecompress('inflateRaw', deflated, size, reason => new CorruptFrameError('gzip', reason))

      checkGzipChecksum(frame, bytes)

      return bytes
    }
  }
}
