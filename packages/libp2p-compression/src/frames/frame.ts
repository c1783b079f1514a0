import { MAX_EXPANSION, MAX_FRAME_SIZE } from '../constants.ts'
import { MalformedFrameError } from '../errors.ts'
import type { Uint8ArrayList } from 'uint8arraylist'

/** The first byte of a frame (README, "Wire format"). */
export const FRAME = { stored: 0, zstd: 1, deflate: 2, lz4: 3, padding: 255 } as const

const SHORT_HEADER_LENGTH = 4
const HEADER_LENGTH = 7

export interface FrameHeader {
  type: number
  headerLength: number
  /** Bytes after the header. */
  length: number
  /** Bytes that the frame decodes to. */
  size: number
}

/** The header of a stored frame of `size` bytes. */
export function encodeStoredHeader (size: number): Uint8Array {
  return Uint8Array.of(FRAME.stored, size >> 16, size >> 8, size)
}

export function encodeCompressedHeader (type: number, length: number, size: number): Uint8Array {
  return Uint8Array.of(type, length >> 16, length >> 8, length, size >> 16, size >> 8, size)
}

/** A complete padding frame of `length` bytes, at least {@link MIN_PADDING}. */
export function encodePadding (length: number): Uint8Array {
  const frame = new Uint8Array(length)
  const rest = length - SHORT_HEADER_LENGTH
  frame.set([FRAME.padding, rest >> 16, rest >> 8, rest])

  return frame
}

export const MIN_PADDING: number = SHORT_HEADER_LENGTH

/**
 * Decode the header at the start of `bytes`.
 *
 * @returns undefined if the header is incomplete
 * @throws {MalformedFrameError} the header breaks a rule of the wire format
 */
export function decodeHeader (bytes: Uint8ArrayList): FrameHeader | undefined {
  if (bytes.byteLength < SHORT_HEADER_LENGTH) {
    return undefined
  }

  const type = bytes.get(0)
  const length = readUint24(bytes, 1)

  if (type === FRAME.stored) {
    check(length > 0, type, 'it is empty')

    return { type, headerLength: SHORT_HEADER_LENGTH, length, size: length }
  }

  if (type === FRAME.padding) {
    check(length <= MAX_FRAME_SIZE, type, `it has ${length} bytes`)

    return { type, headerLength: SHORT_HEADER_LENGTH, length, size: 0 }
  }

  if (bytes.byteLength < HEADER_LENGTH) {
    return undefined
  }

  const size = readUint24(bytes, SHORT_HEADER_LENGTH)
  check(size > 0 && size <= MAX_FRAME_SIZE, type, `it decodes to ${size} bytes`)
  check(length > 0 && length <= size + MAX_EXPANSION, type, `it takes ${length} bytes for ${size}`)

  return { type, headerLength: HEADER_LENGTH, length, size }
}

function readUint24 (bytes: Uint8ArrayList, offset: number): number {
  return bytes.get(offset) << 16 | bytes.get(offset + 1) << 8 | bytes.get(offset + 2)
}

function check (condition: boolean, type: number, reason: string): void {
  if (!condition) {
    throw new MalformedFrameError(type, reason)
  }
}
