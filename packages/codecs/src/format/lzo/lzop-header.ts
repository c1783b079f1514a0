import { crc32 } from '#platform/crc32'
import { adler32 } from '../checksums/adler32.ts'
import { readUint32 } from '../bytes/big-endian.ts'
import { corrupt } from './lzo1x.ts'
import { EXTRA_FIELD, LONG_HEADER_VERSION, MAGIC, METHOD, VERSION } from './lzop-header-encode.ts'

/** lzop refuses members of older versions. */
const OLDEST_VERSION = 0x0900
/** LZO1X-999 */
const LAST_METHOD = 3

// flags. D: checksums of uncompressed blocks, C: of compressed ones
const ADLER32_D = 0x0001
const ADLER32_C = 0x0002
const CRC32_D = 0x0100
const CRC32_C = 0x0200
const MULTIPART = 0x0400
const FILTER = 0x0800
const HEADER_CRC32 = 0x1000
/** lzop refuses members with any of these. */
const UNKNOWN = 0x000fc000

type Checksum = (bytes: Uint8Array) => number

export interface LzopHeader {
  /** The position of the first block. */
  readonly start: number
  /** The checksums of uncompressed blocks, in the order in which they are stored. */
  readonly contentSums: readonly Checksum[]
  /** The checksums of compressed blocks. They follow the others. */
  readonly compressedSums: readonly Checksum[]
}

/**
 * Read and validate the header of a member.
 *
 * @throws {CorruptFrameError}
 */
export function decodeLzopHeader (frame: Uint8Array): LzopHeader {
  if (MAGIC.some((byte, i) => byte !== frame[i])) {
    throw corrupt('it does not begin with the header of an lzop member')
  }

  let position = MAGIC.byteLength
  const isLong = readVersion(frame, position) >= LONG_HEADER_VERSION
  position += 4

  if (isLong) {
    readVersion(frame, position, VERSION)
    position += 2
  }

  const method = frame[position]
  position += isLong ? 2 : 1
  const flags = readChecked(frame, position)

  if (method < METHOD || method > LAST_METHOD) {
    throw corrupt(`it has the unknown compression method ${method}`)
  }

  if ((flags & (UNKNOWN | MULTIPART | FILTER)) !== 0) {
    throw corrupt('it is filtered, part of a larger archive, or has unknown flags')
  }

  // skip flags, mode and time
  position += isLong ? 16 : 12
  // skip the length of the name, and the name
  position += 1 + (readChecked(frame, position) >>> 24)

  const checksum = (flags & HEADER_CRC32) === 0 ? adler32 : crc32
  checkSums(frame.subarray(position), [checksum], frame.subarray(MAGIC.byteLength, position), 'its header')
  position += 4

  if ((flags & EXTRA_FIELD) !== 0) {
    const end = position + 4 + readChecked(frame, position)

    checkSums(frame.subarray(end), [checksum], frame.subarray(position, end), 'its extra field')
    position = end + 4
  }

  return {
    start: position,
    contentSums: readSums(flags, ADLER32_D, CRC32_D),
    compressedSums: readSums(flags, ADLER32_C, CRC32_C)
  }
}

/** The longest header without an extra field. The longest name has 255 bytes. */
export const MAX_HEADER_LENGTH = 34 + 255 + 4
/** The longest extra field that streams may have. No tool is known to write any. */
const MAX_EXTRA_LENGTH = 64 * 1024

/** An upper bound for the length of a header, from its first {@link MAX_HEADER_LENGTH} bytes. */
export function lzopHeaderBound (start: Uint8Array): number {
  const isLong = (start[9] << 8 | start[10]) >= LONG_HEADER_VERSION
  const hasExtraField = (readUint32(start, isLong ? 17 : 14) & EXTRA_FIELD) !== 0

  return hasExtraField ? MAX_HEADER_LENGTH + MAX_EXTRA_LENGTH : MAX_HEADER_LENGTH
}

function readSums (flags: number, adler32Flag: number, crc32Flag: number): Checksum[] {
  const sums: Checksum[] = []

  if ((flags & adler32Flag) !== 0) {
    sums.push(adler32)
  }

  if ((flags & crc32Flag) !== 0) {
    sums.push(crc32)
  }

  return sums
}

function readVersion (frame: Uint8Array, position: number, newest: number = 0xffff): number {
  const version = readChecked(frame, position) >>> 16

  if (version < OLDEST_VERSION || version > newest) {
    throw corrupt(`it has the unknown version 0x${version.toString(16)}`)
  }

  return version
}

/** Verify `bytes` against the sums, which `checksums` made. */
export function checkSums (
  sums: Uint8Array,
  checksums: readonly Checksum[],
  bytes: Uint8Array,
  what: string
): void {
  checksums.forEach((checksum, i) => {
    if (readChecked(sums, 4 * i) !== checksum(bytes)) {
      throw corrupt(`the checksum of ${what} does not match`)
    }
  })
}

/** Read an integer that may be cut off. Used for shorter ones too, since every member has 4 more bytes there. */
export function readChecked (frame: Uint8Array, position: number): number {
  if (position + 4 > frame.byteLength) {
    throw corrupt('it is cut short')
  }

  return readUint32(frame, position)
}
