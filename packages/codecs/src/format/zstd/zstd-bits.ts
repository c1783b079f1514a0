// Room: zstd frames that we parse, check or build byte by byte. What a frame with a dictionary must have is in
// `zstd-frame.ts`.
import { corrupt } from './zstd-frame.ts'

/**
 * Bit streams that are read from their end (RFC 8878, sections 4.1 and 4.2). The reader keeps
 * the number of bits left, which is also the position of the next bits. The last bits read are
 * the lowest of the first byte.
 *
 * Hot loops read four bytes at once and shift the next bits to the top. At least 25 of the 32
 * bits belong to the stream, if it has as many left:
 *
 *     view.getInt32(start - 4 + (left + 7 >> 3), true) << (-left & 7)
 *
 * Near the start of the stream this also reads bytes before it. They exist, because the headers
 * of the frame and of the block come before every stream.
 */

/**
 * The number of bits in a stream, without the padding in its last byte: zeros and a final one.
 *
 * @throws {CorruptFrameError}
 */
export function countBits (frame: Uint8Array, start: number, end: number): number {
  if (start >= end || frame[end - 1] === 0) {
    throw corrupt('a stream of bits does not end with a one')
  }

  return (end - start) * 8 - 1 - (Math.clz32(frame[end - 1]) - 24)
}

/** Read up to 16 bits below the bit `left`, outside hot loops. The caller has checked that they exist. */
export function readBack (frame: Uint8Array, start: number, left: number, count: number): number {
  return readBits(frame, start * 8 + left - count, count)
}

/** Read up to 16 bits in forward order. `position` counts bits. Bits after the end are 0. */
export function readBits (frame: Uint8Array, position: number, count: number): number {
  // no frame is long enough for `position` to overflow 32 bits
  const byte = Math.floor(position / 8)
  const bits = frame[byte] | frame[byte + 1] << 8 | frame[byte + 2] << 16

  return bits >> (position & 7) & (1 << count) - 1
}
