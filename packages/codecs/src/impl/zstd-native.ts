import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { checkZstdFrame, zstdFrameEnd } from '../format/zstd/zstd-frame.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'
import type { Implementation } from '../implementation.ts'

/** Up to this level and size, compressing takes less than half a millisecond, so it runs on the calling thread. */
const FAST_LEVEL = 3
const MAX_SYNC_SIZE = 64 * 1024

export function create (): Implementation {
  return {
    async compress (bytes, level) {
      const frames = await zlibCompress('zstdCompress', bytes, {
        // without it, the asynchronous call writes no content size into the header
        pledgedSrcSize: bytes.byteLength,
        params: { [zlibConstants.ZSTD_c_compressionLevel]: level }
      }, level <= FAST_LEVEL ? MAX_SYNC_SIZE : 0)

      // if a frame exactly fills the output buffers, Node appends an empty frame
      return frames.subarray(0, zstdFrameEnd(frames, bytes.byteLength))
    },

    async decompress (frame, size) {
      checkZstdFrame(frame, size)

      return zlibDecompress('zstdDecompress', frame, size, reason => new CorruptFrameError('zstd', reason))
    }
  }
}
