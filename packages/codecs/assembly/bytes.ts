import { all } from './memory'

export function byteAt (at: i32): u32 {
  return load<u8>(all + at)
}

/** Four bytes. */
export function wordAt (at: i32): i32 {
  return load<i32>(all + at)
}

/**
 * How many bytes are the same at two places.
 *
 * @param end - where the bytes at the second place end at the latest
 */
export function commonLength (first: i32, second: i32, end: i32): i32 {
  let at = second
  let from = first

  for (; at + 8 <= end; at += 8, from += 8) {
    const difference = load<u64>(all + at) ^ load<u64>(all + from)

    if (difference !== 0) {
      return at - second + i32(ctz(difference) >>> 3)
    }
  }

  for (; at < end && byteAt(at) === byteAt(from); at++) {
    from++
  }

  return at - second
}

/** How many of the bytes before two places are the same, as long as the second is after `start`. */
export function commonLengthBefore (first: i32, second: i32, start: i32): i32 {
  const most = min(first, second - start)
  let length = 0

  while (length < most && byteAt(first - length - 1) === byteAt(second - length - 1)) {
    length++
  }

  return length
}
