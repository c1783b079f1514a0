/** Writes streams of bits that are read from their end, and ones that are read forward (RFC 8878, section 4.1). */

let at: usize = 0
let waiting: u64 = 0
let waitingBits: u32 = 0

/** Begin a stream. Up to seven bytes after what is written may change. */
export function beginBits (start: usize): void {
  at = start
  waiting = 0
  waitingBits = 0
}

/** Write up to 32 bits of a number. */
export function writeBits (value: u32, bits: u32): void {
  waiting |= (u64(value) & ((u64(1) << bits) - 1)) << waitingBits
  waitingBits += bits
  store<u64>(at, waiting)
  at += waitingBits >>> 3
  waiting >>= waitingBits & ~7
  waitingBits &= 7
}

/**
 * Fill the last byte with zeros.
 *
 * @returns where the stream ends
 */
export function endBits (): usize {
  writeBits(0, (8 - waitingBits) & 7)

  return at
}

/** End a stream that is read from its end: a one marks that. */
export function closeBits (): usize {
  writeBits(1, 1)

  return endBits()
}
