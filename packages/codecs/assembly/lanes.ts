/** What lanes of 16 bytes have in common with those before them. */

/** The byte before each: of the first one the last of `before`. */
export function bytesBefore (before: v128, bytes: v128): v128 {
  return i8x16.shuffle(before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
}

/** What each byte and all before it add up to. */
export function prefixSums (bytes: v128): v128 {
  const zero = i8x16.splat(0)
  let sums = i8x16.add(bytes, bytesBefore(zero, bytes))
  sums = i8x16.add(sums, twoBefore(zero, sums))
  sums = i8x16.add(sums, fourBefore(zero, sums))

  return i8x16.add(sums, eightBefore(zero, sums))
}

/** The last byte, 16 times. */
export function splatLast (bytes: v128): v128 {
  return i8x16.shuffle(bytes, bytes, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)
}

/** The same as `bytesBefore` for what is two, four and eight bytes before. */
export function twoBefore (before: v128, bytes: v128): v128 {
  return i8x16.shuffle(before, bytes, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
}

export function fourBefore (before: v128, bytes: v128): v128 {
  return i8x16.shuffle(before, bytes, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
}

export function eightBefore (before: v128, bytes: v128): v128 {
  return i8x16.shuffle(before, bytes, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
}
