import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { checkZstdFrame } from '../format/zstd-frame.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

export function create (): Implementation {
  return {
    compress: async (bytes, level) => zlibCompress('zstdCompress', bytes, {
      // unless told, the asynchronous call leaves the content size out of the header
      pledgedSrcSize: bytes.byteLength,
      params: { [zlibConstants.ZSTD_c_compressionLevel]: level }
    }),

    async decompress (frame, size) {
      checkZstdFrame(frame, size)

      return zlibDecompress('zstdDecompress', frame, size, reason => new CorruptFrameError('zstd', reason))
    }
  }
}
