import { zlibConstants } from '#platform'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

/** Up to this level and size, compressing takes less than a millisecond, so it runs on the calling thread. */
const FAST_LEVEL = 4
const MAX_SYNC_SIZE = 16 * 1024

export function create (): Implementation {
  return {
    compress: async (bytes, level) => zlibCompress('brotliCompress', bytes, {
      params: {
        [zlibConstants.BROTLI_PARAM_QUALITY]: level,
        [zlibConstants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength
      }
    }, level <= FAST_LEVEL ? MAX_SYNC_SIZE : 0),

    decompress: async (frame, size, options) => zlibDecompress('brotli', frame, size, options)
  }
}
