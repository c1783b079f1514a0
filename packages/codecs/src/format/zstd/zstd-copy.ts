/** Up to this length, bytes are copied one by one. */
const FEW = 64

/** Fill the range from `to` to `stop` (exclusive) with the bytes at `match`. If the ranges overlap, they repeat. */
export function copyMatch (bytes: Uint8Array, to: number, match: number, stop: number): void {
  const offset = to - match

  if (stop - to <= FEW) {
    for (; to < stop; to++) {
      bytes[to] = bytes[to - offset]
    }

    return
  }

  // repeat a short match a few times first, so that there is more to copy
  for (const several = match + offset * Math.ceil(FEW / offset); to < several; to++) {
    bytes[to] = bytes[to - offset]
  }

  // the copied range doubles each time
  while (to < stop) {
    const length = Math.min(to - match, stop - to)
    bytes.copyWithin(to, match, match + length)
    to += length
  }
}
