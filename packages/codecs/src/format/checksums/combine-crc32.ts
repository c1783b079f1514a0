/** The polynomial of CRC-32, bit-reflected: bit 31 is the coefficient of x^0 (RFC 1952, section 8). */
const POLYNOMIAL = 0xedb88320

const ONE = 0x80000000
const X_TO_THE_8 = 0x00800000

/**
 * The CRC-32 of two byte sequences one after the other, from the CRC-32 of each.
 *
 * Bytes that follow multiply the remainder of what precedes them by x^8 each, modulo the polynomial.
 *
 * @param second - the CRC-32 of the second sequence
 * @param length - bytes of the second sequence
 */
export function combineCrc32 (first: number, second: number, length: number): number {
  return (multiply(powerOf(length), first) ^ second) >>> 0
}

/** x^(8 * length), by squaring. */
function powerOf (length: number): number {
  let result = ONE
  let square = X_TO_THE_8

  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) {
      result = multiply(square, result)
    }

    square = multiply(square, square)
  }

  return result
}

/** Multiply two polynomials modulo that of CRC-32. */
function multiply (left: number, right: number): number {
  let product = 0
  let shifted = right

  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) {
      product ^= shifted
    }

    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL
  }

  return product >>> 0
}
