import { applyFilters } from '../filters/filters.ts'
import type { Filter } from '../filters/filter.ts'
import type { Codec } from '@ipfsz/codecs'

/** A codec that applies filters to what it compresses. */
export function filteringCodec (codec: Codec, filters: readonly Filter[]): Codec {
  return {
    name: codec.name,
    code: codec.code,
    levels: codec.levels,
    implementation: codec.implementation,
    // nobody else has the filtered bytes
    compress: async (bytes, options) => codec.compress(applyFilters(bytes, filters), { ...options, transfer: true }),
    decompress: (frame, options) => codec.decompress(frame, options)
  }
}
