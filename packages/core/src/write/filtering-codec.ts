import { seal } from '@ipfsz/codecs/sealed'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { applyFilters } from '../filters/filters.ts'
import type { Filter } from '../filters/filter.ts'
import type { Codec } from '@ipfsz/codecs'

/** A codec that applies filters to what it compresses, and seals the frames: they are not the original. */
export function filteringCodec (codec: Codec, filters: readonly Filter[]): Codec {
  return {
    name: codec.name,
    code: codec.code,
    levels: codec.levels,
    implementation: codec.implementation,
    async compress (bytes, options) {
      const filtered = applyFilters(bytes, filters)
      // no other code has references to the filtered bytes or the frame
      const frame = seal(codec.name, await codec.compress(filtered, { ...options, transfer: true }))

      if (frame.buffer !== filtered.buffer) {
        freeBytes(filtered)
      }

      return frame
    },

    decompress: (frame, options) => codec.decompress(frame, options)
  }
}
