import { seal } from '@ipfsz/codecs/sealed'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { applyFilters } from '../filters/filters.ts'
import type { Filter } from '../filters/filter.ts'
import type { FrameCodec } from '../frames/compress-frames.ts'

/** A codec that applies filters to what it compresses, and seals the frames: they are not the original. */
export function filteringCodec (codec: FrameCodec, filters: readonly Filter[]): FrameCodec {
  return {
    name: codec.name,
    code: codec.code,
    async compress (bytes, options) {
      const filtered = applyFilters(bytes, filters)
      // no other code has references to the filtered bytes or the frame
      const frame = seal(codec.name, await codec.compress(filtered, { ...options, transfer: true }))

      if (frame.buffer !== filtered.buffer) {
        freeBytes(filtered)
      }

      return frame
    }
  }
}
