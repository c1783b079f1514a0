/** Up to here bytes are copied one by one. */
const FEW = 64

/**
 * Copy what lies from `match` on to `to` up to and without `stop`. What is copied may
 * be part of what is to be copied: it then occurs again and again.
 */
export function copyMatch (bytes: Uint8Array, to: number, match: number, stop: number): void {
  const offset = to - match

  if (stop - to <= FEW) {
    for (; to < stop; to++) {
      bytes[to] = bytes[to - offset]
    }

    return
  }

  // of something short there are several first, so that there is something to copy
  for (const several = match + offset * Math.ceil(FEW / offset); to < several; to++) {
    bytes[to] = bytes[to - offset]
  }

  // each time there are twice as many of them
  while (to < stop) {
    const length = Math.min(to - match, stop - to)
    bytes.copyWithin(to, match, match + length)
    to += length
  }
}
