/**
 * How many bytes are the same at two places.
 *
 * @param first - before `second`
 * @param end - where the bytes at the second place end at the latest
 */
export function commonLength (view: DataView, first: number, second: number, end: number): number {
  const distance = second - first
  let at = second

  // sixteen bytes at a time take half as long as four
  for (; at + 16 <= end; at += 16) {
    const from = at - distance
    const difference = (view.getInt32(at, true) ^ view.getInt32(from, true)) |
      (view.getInt32(at + 4, true) ^ view.getInt32(from + 4, true)) |
      (view.getInt32(at + 8, true) ^ view.getInt32(from + 8, true)) |
      (view.getInt32(at + 12, true) ^ view.getInt32(from + 12, true))

    if (difference !== 0) {
      break
    }
  }

  while (at < end && view.getUint8(at) === view.getUint8(at - distance)) {
    at++
  }

  return at - second
}

/** How many of the bytes before two places are the same, as long as the second is after `start`. */
export function commonLengthBefore (view: DataView, first: number, second: number, start: number): number {
  const most = Math.min(first, second - start)
  let length = 0

  while (length < most && view.getUint8(first - length - 1) === view.getUint8(second - length - 1)) {
    length++
  }

  return length
}
