import { corrupt } from './zstd-frame.ts'

/**
 * The streams of bits that are read from their end (RFC 8878, sections 4.1 and 4.2).
 * Who reads one keeps the number of bits that are left, which is where the next ones
 * lie: those read last are the lowest of the first byte.
 *
 * In the hot loops the four bytes that hold the next bits are taken at once, with them
 * at the top. At least 25 are bits of the stream, as far as it has any:
 *
 *     view.getInt32(start - 4 + (left + 7 >> 3), true) << (-left & 7)
 *
 * At its start, bytes from before it take part. There always are some, because of the
 * headers of the frame and of the block.
 */

/**
 * How many bits a stream holds. Its last byte ends with a one, which is not counted,
 * and zeros.
 *
 * @throws {CorruptFrameError}
 */
export function countBits (frame: Uint8Array, start: number, end: number): number {
  if (start >= end || frame[end - 1] === 0) {
    throw corrupt('a stream of bits does not end with a one')
  }

  return (end - start) * 8 - 1 - (Math.clz32(frame[end - 1]) - 24)
}

/** Up to 16 bits below the bit `left` of the stream at `start`, for where time does not matter. The caller has checked that there are so many. */
export function readBack (frame: Uint8Array, start: number, left: number, count: number): number {
  return readBits(frame, start * 8 + left - count, count)
}

/** Up to 16 bits from the lowest on; `position` counts bits. Those behind the end are 0. */
export function readBits (frame: Uint8Array, position: number, count: number): number {
  // there are no frames of so many bytes that this would not do
  const byte = Math.floor(position / 8)
  const bits = frame[byte] | frame[byte + 1] << 8 | frame[byte + 2] << 16

  return bits >> (position & 7) & (1 << count) - 1
}
