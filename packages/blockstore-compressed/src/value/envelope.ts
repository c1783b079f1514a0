// Room: the envelope of a stored block: its bytes, and whether compressing is worth it.

/**
 * The bytes of an envelope (docs/format.md, section 5):
 * `varint(marker code) ‖ varint(original length) ‖ payload`.
 */
import { FIRST_MARKER_CODE } from '../constants.ts'

/** The last three bytes of all sixteen marker codes as varints. They differ in the low four bits of the first byte. */
const MARKER_TAIL = [0xb4, 0xfd, 0x01]
const MARKER_LENGTH = 4

/** Seven bytes hold 49 bits: more than any length needs, and within Number.MAX_SAFE_INTEGER. */
const MAX_LENGTH_BYTES = 7

export interface Envelope {
  /** The marker code. */
  code: number
  /** Bytes of the block, as the envelope claims. */
  size: number
  payload: Uint8Array
}

/** Whether bytes begin with a marker code (`envelope`), are only a part of one (`cut-short`), or neither (`block`). */
export function beginsLike (bytes: Uint8Array): 'envelope' | 'cut-short' | 'block' {
  // the high four bits of the first byte are the same in all marker codes
  if (bytes.byteLength > 0 && bytes[0] >> 4 !== 8) {
    return 'block'
  }

  for (const [i, byte] of MARKER_TAIL.entries()) {
    if (i + 1 >= bytes.byteLength) {
      return 'cut-short'
    }

    if (bytes[i + 1] !== byte) {
      return 'block'
    }
  }

  return 'envelope'
}

export function encodeEnvelope ({ code, size, payload }: Envelope): Uint8Array {
  const start = headerLength(size)
  const bytes = new Uint8Array(start + payload.byteLength)
  let position = MARKER_LENGTH
  let rest = size

  bytes[0] = 0x80 | (code - FIRST_MARKER_CODE)
  bytes.set(MARKER_TAIL, 1)

  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    bytes[position++] = (rest % 0x80) | 0x80
  }

  bytes[position] = rest
  bytes.set(payload, start)

  return bytes
}

/** Bytes before the payload, for a block of `size` bytes. */
export function headerLength (size: number): number {
  let length = MARKER_LENGTH + 1

  for (let rest = size; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    length++
  }

  return length
}

/**
 * Decode an envelope without copying. The bytes must begin with a marker code.
 *
 * @returns undefined if the length is cut short, too large, or not in its shortest form
 */
export function parseEnvelope (bytes: Uint8Array): Envelope | undefined {
  const code = FIRST_MARKER_CODE | (bytes[0] & 0x0f)
  let size = 0
  let factor = 1

  for (let i = MARKER_LENGTH; i < Math.min(bytes.byteLength, MARKER_LENGTH + MAX_LENGTH_BYTES); i++) {
    const byte = bytes[i]
    size += (byte & 0x7f) * factor
    factor *= 0x80

    if (byte < 0x80) {
      // a last byte of 0 adds nothing: this is not the shortest form
      return byte === 0 && i > MARKER_LENGTH ? undefined : { code, size, payload: bytes.subarray(i + 1) }
    }
  }

  return undefined
}
