import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { checkZstdFrame } from '../format/zstd-frame.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

/** Up to this level and size it takes less than half a millisecond. */
const FAST_LEVEL = 3
const AT_ONCE = 64 * 1024

export function create (): Implementation {
  return {
    compress: async (bytes, level) => zlibCompress('zstdCompress', bytes, {
      // unless told, the asynchronous call leaves the content size out of the header
      pledgedSrcSize: bytes.byteLength,
      params: { [zlibConstants.ZSTD_c_compressionLevel]: level }
    }, level <= FAST_LEVEL ? AT_ONCE : 0),

    async decompress (frame, size) {
      checkZstdFrame(frame, size)

      return zlibDecompress('zstdDecompress', frame, size, reason => new CorruptFrameError('zstd', reason))
    }
  }
}
