import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

/** Up to this level and size it takes less than a millisecond. */
const FAST_LEVEL = 4
const AT_ONCE = 16 * 1024

export function create (): Implementation {
  return {
    compress: async (bytes, level) => zlibCompress('brotliCompress', bytes, {
      params: {
        [zlibConstants.BROTLI_PARAM_QUALITY]: level,
        [zlibConstants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength
      }
    }, level <= FAST_LEVEL ? AT_ONCE : 0),

    decompress: async (frame, size) => zlibDecompress('brotliDecompress', frame, size, reason => new CorruptFrameError('brotli', reason))
  }
}
