import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

export function create (): Implementation {
  return {
    compress: async (bytes, level) => zlibCompress('brotliCompress', bytes, {
      params: {
        [zlibConstants.BROTLI_PARAM_QUALITY]: level,
        [zlibConstants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength
      }
    }),

    decompress: async (frame, size) => zlibDecompress('brotliDecompress', frame, size, reason => new CorruptFrameError('brotli', reason))
  }
}
