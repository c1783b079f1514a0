import type { Width } from './filter.ts'

/**
 * Transpose elements into byte planes: first the first bytes of all elements, then all second
 * ones, and so on. Bytes behind the last element stay.
 *
 * @param target - other memory of the same length
 */
export function shuffle (source: Uint8Array, target: Uint8Array, width: Width): void {
  const count = Math.floor(source.byteLength / width)

  for (let plane = 0, to = 0; plane < width; plane++) {
    for (let from = plane, end = to + count; to < end; from += width) {
      target[to++] = source[from]
    }
  }

  target.set(source.subarray(count * width), count * width)
}

/** The inverse of {@link shuffle}. */
export function unshuffle (source: Uint8Array, target: Uint8Array, width: Width): void {
  const count = Math.floor(source.byteLength / width)

  for (let plane = 0, from = 0; plane < width; plane++) {
    for (let to = plane, end = from + count; from < end; to += width) {
      target[to] = source[from++]
    }
  }

  target.set(source.subarray(count * width), count * width)
}
