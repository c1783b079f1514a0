import { crc32 } from '#platform'
import { adler32 } from '../checksums/adler32.ts'
import { readUint32, writeUint32 } from '../bytes/big-endian.ts'
import { corrupt } from './lzo1x.ts'

// lzop has no specification. What is here was found out with Debian's lzop 1.04:
// from the members that it makes, and by which hand-made ones it accepts.

/** "LZO" between bytes that a transfer as text would damage. The header's checksum begins behind it. */
const MAGIC = Uint8Array.of(0x89, 0x4c, 0x5a, 0x4f, 0x00, 0x0d, 0x0a, 0x1a, 0x0a)

// a version is 0x1040 for 1.04
const VERSION = 0x1040
/** That of the LZO library, 2.10. Nothing depends on it. */
const LIBRARY_VERSION = 0x20a0
/** Members of an older one are refused by lzop too. */
const OLDEST_VERSION = 0x0900
/** From here on a header has the version that is needed, a level, and a time of 64 bits. */
const LONG_HEADER_VERSION = 0x0940

/** LZO1X-1. The other two, LZO1X-1(15) and LZO1X-999, search differently and write the same format. */
const METHOD = 1
const LAST_METHOD = 3
/** What lzop writes for {@link METHOD}. */
const LEVEL = 5

// flags; `D` is what a block decodes to, `C` its compressed bytes
const ADLER32_D = 0x0001
const ADLER32_C = 0x0002
const CRC32_D = 0x0100
const CRC32_C = 0x0200
const EXTRA_FIELD = 0x0040
const MULTIPART = 0x0400
const FILTER = 0x0800
const HEADER_CRC32 = 0x1000
/** lzop refuses a member that has one of these. */
const UNKNOWN = 0x000fc000
/** The system that wrote the member. It says how to read {@link MODE}. */
const UNIX = 0x03000000

/** A regular file that its owner writes and everybody reads. lzop gives it to the file that it makes. */
const MODE = 0o100644

/** Without a name. */
const HEADER_LENGTH = 38

type Checksum = (bytes: Uint8Array) => number

export interface LzopHeader {
  /** Where the first block begins. */
  readonly start: number
  /** The checksums of what each block decodes to, in the order in which a block has them. */
  readonly contentSums: readonly Checksum[]
  /** Those of its compressed bytes. They come after the others. */
  readonly compressedSums: readonly Checksum[]
}

/** What a member begins with, always the same: without a name, a time and checksums of the content. */
export function encodeLzopHeader (): Uint8Array {
  const header = new Uint8Array(HEADER_LENGTH)

  header.set(MAGIC)
  writeUint32(header, 9, VERSION << 16 | LIBRARY_VERSION)
  writeUint32(header, 13, LONG_HEADER_VERSION << 16 | METHOD << 8 | LEVEL)
  writeUint32(header, 17, UNIX)
  writeUint32(header, 21, MODE)
  // a time of 64 bits and the length of the name stay 0
  writeUint32(header, 34, adler32(header.subarray(MAGIC.byteLength, 34)))

  return header
}

/**
 * Read and check the header of a member.
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
    throw corrupt(`it is compressed by the unknown method ${method}`)
  }

  if ((flags & (UNKNOWN | MULTIPART | FILTER)) !== 0) {
    throw corrupt('it is filtered, part of a larger archive, or has unknown flags')
  }

  // flags, mode and time
  position += isLong ? 16 : 12
  // the length of its name, and the name
  position += 1 + (readChecked(frame, position) >>> 24)

  const checksum = (flags & HEADER_CRC32) === 0 ? adler32 : crc32
  checkSums(frame, position, [checksum], frame.subarray(MAGIC.byteLength, position), 'its header')
  position += 4

  if ((flags & EXTRA_FIELD) !== 0) {
    const end = position + 4 + readChecked(frame, position)

    checkSums(frame, end, [checksum], frame.subarray(position, end), 'its extra field')
    position = end + 4
  }

  return {
    start: position,
    contentSums: readSums(flags, ADLER32_D, CRC32_D),
    compressedSums: readSums(flags, ADLER32_C, CRC32_C)
  }
}

/** A header without an extra field takes no more bytes than this: there are 255 in the longest name. */
export const MAX_HEADER_LENGTH = 34 + 255 + 4
/** Longer extra fields are refused in streams. Nobody is known to write any. */
const MAX_EXTRA_LENGTH = 64 * 1024

/** How many bytes the header takes at most that begins with these, all of it or {@link MAX_HEADER_LENGTH} bytes. */
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
    throw corrupt(`it is of the unknown version 0x${version.toString(16)}`)
  }

  return version
}

/** Compare checksums of `bytes` with those that are written from `position` on. */
export function checkSums (frame: Uint8Array, position: number, checksums: readonly Checksum[], bytes: Uint8Array, what: string): void {
  checksums.forEach((checksum, i) => {
    if (readChecked(frame, position + 4 * i) !== checksum(bytes)) {
      throw corrupt(`the checksum of ${what} does not match`)
    }
  })
}

/** Read an integer that may be missing. Shorter ones are read so too: no member ends within 4 bytes of one. */
export function readChecked (frame: Uint8Array, position: number): number {
  if (position + 4 > frame.byteLength) {
    throw corrupt('it is cut short')
  }

  return readUint32(frame, position)
}
