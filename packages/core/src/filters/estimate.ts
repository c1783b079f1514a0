import { FilterModule } from '@ipfsz/codecs/filters'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { applyFilters, stepsOf } from './filters.ts'
import type { Filter } from './filter.ts'

/**
 * About how many bits some bytes take after filters, with Huffman codes for each plane. A tenth of the time of
 * compressing them, but without what repeats itself.
 */
export function estimateBits (bytes: Uint8Array, filters: readonly Filter[]): number {
  const planes = filters.find(({ kind }) => kind !== 'delta')?.width ?? 1
  const estimate = FilterModule.shared?.estimate(bytes, stepsOf(filters), planes)

  if (estimate != null) {
    return estimate
  }

  const filtered = applyFilters(bytes, filters)
  const bits = bitsOf(filtered, planes)

  if (filtered !== bytes) {
    freeBytes(filtered)
  }

  return bits
}

function bitsOf (bytes: Uint8Array, planes: number): number {
  const size = Math.floor(bytes.byteLength / planes)
  const counts = new Uint32Array(256)
  let bits = 0

  for (let plane = 0; plane < planes; plane++) {
    const start = plane * size
    const end = plane === planes - 1 ? bytes.byteLength : start + size
    counts.fill(0)

    for (let i = start; i < end; i++) {
      counts[bytes[i]]++
    }

    bits += entropy(counts, end - start)
  }

  return bits
}

function entropy (counts: Uint32Array, all: number): number {
  let bits = timesLog2(all)

  for (let byte = 0; byte < 256; byte++) {
    bits -= timesLog2(counts[byte])
  }

  return bits
}

/** A number times its logarithm: between powers of two, that is taken for a line, which is the same everywhere. */
function timesLog2 (value: number): number {
  const power = 31 - Math.clz32(value)

  return value === 0 ? 0 : value * (power + value / (1 << power) - 1)
}
