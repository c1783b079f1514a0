/** The three parts of a sequence: each is a code with additional bits (RFC 8878, section 3.1.1.3.2.1.1). */

export const LITERAL_LENGTHS: i32 = 0
export const OFFSETS: i32 = 1
export const MATCH_LENGTHS: i32 = 2

/** The shortest match, and so the value of its first code. */
export const MIN_MATCH: i32 = 3

/** The additional bits of each code. An offset has as many as its code says. */
const LITERAL_LENGTH_BITS: StaticArray<u8> = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
]
const MATCH_LENGTH_BITS: StaticArray<u8> = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
]

/** The default tables (section 3.1.1.3.2.2), and their accuracies. */
export const LITERAL_LENGTH_PROBABILITIES: StaticArray<i8> = [
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1
]
export const LITERAL_LENGTH_ACCURACY: i32 = 6
export const OFFSET_PROBABILITIES: StaticArray<i8> = [
  1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1
]
export const OFFSET_ACCURACY: i32 = 5
export const MATCH_LENGTH_PROBABILITIES: StaticArray<i8> = [
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1
]
export const MATCH_LENGTH_ACCURACY: i32 = 6

/** The code of a value. */
export function codeOf (part: i32, value: i32): i32 {
  if (part === OFFSETS) {
    return 31 - i32(clz(value))
  }

  const bits = bitsOfCodes(part)
  let code = 0

  // the range of the next code starts where this one ends
  for (let next = firstValue(part); code < bits.length - 1; code++) {
    next += 1 << bits[code]

    if (value < next) {
      break
    }
  }

  return code
}

/** How many additional bits a code has. */
export function extraBits (part: i32, code: i32): i32 {
  return part === OFFSETS ? code : i32(bitsOfCodes(part)[code])
}

/** What the additional bits say, in their lower bits. All ranges begin at a multiple of their length. */
export function extraOf (part: i32, value: i32): i32 {
  return value - firstValue(part)
}

function bitsOfCodes (part: i32): StaticArray<u8> {
  return part === LITERAL_LENGTHS ? LITERAL_LENGTH_BITS : MATCH_LENGTH_BITS
}

function firstValue (part: i32): i32 {
  return part === MATCH_LENGTHS ? MIN_MATCH : 0
}
