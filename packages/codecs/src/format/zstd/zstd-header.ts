/**
 * What the header of a zstd frame says. Loads no codec.
 *
 * @packageDocumentation
 */
import { readUint32 } from '../bytes/little-endian.ts'
import { DESCRIPTOR, SINGLE_SEGMENT } from './zstd-descriptor.ts'

export const MAGIC = 0xfd2fb528
/** Bytes of the longest header: magic number, descriptor, window, dictionary ID and content size. */
export const MAX_HEADER_LENGTH = 4 + 1 + 1 + 4 + 8

/** The header of a frame (RFC 8878, section 3.1.1.1). */
export interface ZstdHeader {
  /** Its bytes. If there are fewer, the frame is cut short, and the rest of this means nothing. */
  readonly length: number
  /** How far back a match may reach, in bytes. In a single-segment frame, the content size. */
  readonly window: number
  /** If the header has it. */
  readonly contentSize: number | undefined
  readonly hasChecksum: boolean
  readonly hasReservedBit: boolean
  readonly needsDictionary: boolean
}

/** Whether bytes begin like a frame. None is shorter than 6 bytes. */
export function isZstdFrame (bytes: Uint8Array): boolean {
  return bytes.byteLength >= 6 && readUint32(bytes, 0) === MAGIC
}

/** Read the header of a frame, whose magic number the caller has checked. */
export function readZstdHeader (frame: Uint8Array): ZstdHeader {
  const descriptor = frame[DESCRIPTOR]
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0
  const position = DESCRIPTOR + (isSingleSegment ? 1 : 2) + [0, 1, 2, 4][descriptor & 3]
  const flag = descriptor >> 6
  const sizeLength = flag === 0 ? Number(isSingleSegment) : 1 << flag
  const contentSize = sizeLength === 0 ? undefined : readContentSize(frame, position, sizeLength)

  return {
    length: position + sizeLength,
    window: isSingleSegment && contentSize != null ? contentSize : windowSize(frame[DESCRIPTOR + 1]),
    contentSize,
    hasChecksum: (descriptor & 0x04) !== 0,
    hasReservedBit: (descriptor & 0x08) !== 0,
    needsDictionary: (descriptor & 0x03) !== 0
  }
}

function readContentSize (frame: Uint8Array, position: number, length: number): number {
  let value = 0

  for (let i = length - 1; i >= 0; i--) {
    value = value * 256 + frame[position + i]
  }

  return length === 2 ? value + 256 : value
}

function windowSize (descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))

  return base + (base / 8) * (descriptor & 7)
}
