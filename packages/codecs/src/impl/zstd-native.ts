import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { checkZstdFrame, zstdFrameEnd } from '../format/zstd/zstd-frame.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

/** Up to this level and size it takes less than half a millisecond. */
const FAST_LEVEL = 3
const AT_ONCE = 64 * 1024

export function create (): Implementation {
  return {
    async compress (bytes, level) {
      const frames = await zlibCompress('zstdCompress', bytes, {
        // unless told, the asynchronous call leaves the content size out of the header
        pledgedSrcSize: bytes.byteLength,
        params: { [zlibConstants.ZSTD_c_compressionLevel]: level }
      }, level <= FAST_LEVEL ? AT_ONCE : 0)

      // where a frame just fills the output buffers, Node puts an empty one behind it
      return frames.subarray(0, zstdFrameEnd(frames, bytes.byteLength))
    },

    async decompress (frame, size) {
      checkZstdFrame(frame, size)

      return zlibDecompress('zstdDecompress', frame, size, reason => new CorruptFrameError('zstd', reason))
    }
  }
}
