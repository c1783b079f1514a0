import { crc32 } from '#platform/crc32'
import { CorruptFrameError } from '../../errors.ts'
import { readUint32, writeUint16, writeUint32 } from '../bytes/little-endian.ts'

const HEADER_LENGTH = 10
export const TRAILER_LENGTH = 8
const DEFLATE = 8

/** A stored block: a byte, its length twice, and at most as many bytes (RFC 1951, section 3.2.4). */
const STORED_HEADER_LENGTH = 5
const MAX_STORED_LENGTH = 0xffff
const UNKNOWN_OS = 255

// header flags (RFC 1952, section 2.3.1)
const FHCRC = 0x02
const FEXTRA = 0x04
const FNAME = 0x08
const FCOMMENT = 0x10
const RESERVED = 0xe0

/**
 * The header of a joinable member: mtime 0, OS 255, and an extra subfield "IZ" without data
 * (RFC 1952, section 2.3.1.1). It says that the deflate stream ends in a sync flush and `FINAL_BLOCK`.
 */
export const JOINABLE_HEADER = Uint8Array.of(
  0x1f, 0x8b, DEFLATE, FEXTRA, 0, 0, 0, 0, 0, UNKNOWN_OS,
  4, 0, 0x49, 0x5a, 0, 0
)

/** An empty final block with fixed Huffman codes, at a byte boundary (RFC 1951, section 3.2.6). */
export const FINAL_BLOCK = Uint8Array.of(0x03, 0x00)

/**
 * Make a joinable gzip member.
 *
 * @param deflated - blocks of deflate that end in a sync flush, none of them final
 * @param bytes - what they decode to
 */
export function encodeGzipMember (deflated: Uint8Array, bytes: Uint8Array): Uint8Array {
  const end = JOINABLE_HEADER.byteLength + deflated.byteLength
  const trailer = end + FINAL_BLOCK.byteLength
  const member = new Uint8Array(trailer + TRAILER_LENGTH)

  member.set(JOINABLE_HEADER)
  member.set(deflated, JOINABLE_HEADER.byteLength)
  member.set(FINAL_BLOCK, end)
  writeUint32(member, trailer, crc32(bytes))
  writeUint32(member, trailer + 4, bytes.byteLength)

  return member
}

/**
 * Make a joinable gzip member that holds bytes uncompressed, in stored blocks (RFC 1951, section 3.2.4). It
 * takes next to no processor time.
 */
export function storeMember (bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil(bytes.byteLength / MAX_STORED_LENGTH)
  const deflated = new Uint8Array(bytes.byteLength + blocks * STORED_HEADER_LENGTH)

  for (let i = 0, position = 0; i < blocks; i++) {
    const part = bytes.subarray(i * MAX_STORED_LENGTH, (i + 1) * MAX_STORED_LENGTH)

    // the first byte says: not final, stored
    writeUint16(deflated, position + 1, part.byteLength)
    writeUint16(deflated, position + 3, ~part.byteLength)
    deflated.set(part, position + STORED_HEADER_LENGTH)
    position += STORED_HEADER_LENGTH + part.byteLength
  }

  return encodeGzipMember(deflated, bytes)
}

/**
 * The deflate stream in a gzip member, between its header and its trailer.
 *
 * @throws {CorruptFrameError} it is not a gzip member, or its trailer has another size
 */
export function decodeGzipMember (member: Uint8Array, size: number): Uint8Array {
  const isLongEnough = member.byteLength >= HEADER_LENGTH + TRAILER_LENGTH

  if (!isLongEnough || member[0] !== 0x1f || member[1] !== 0x8b || member[2] !== DEFLATE) {
    throw corrupt('it does not begin with the header of a member')
  }

  const end = member.byteLength - TRAILER_LENGTH
  const start = skipHeader(member)

  if (start > end) {
    throw corrupt('it is cut short')
  }

  if (readUint32(member, end + 4) !== size) {
    throw corrupt(`it claims to hold ${readUint32(member, end + 4)} bytes instead of ${size}`)
  }

  return member.subarray(start, end)
}

/** @throws {CorruptFrameError} the bytes do not match the checksum in the trailer */
export function checkGzipChecksum (member: Uint8Array, bytes: Uint8Array): void {
  if (readUint32(member, member.byteLength - TRAILER_LENGTH) !== crc32(bytes)) {
    throw corrupt('its checksum does not match')
  }
}

function skipHeader (member: Uint8Array): number {
  const flags = member[3]
  let position = HEADER_LENGTH

  if ((flags & RESERVED) !== 0) {
    throw corrupt('a reserved bit is set')
  }

  if ((flags & FEXTRA) !== 0) {
    position += 2 + (member[position] | member[position + 1] << 8)
  }

  for (const flag of [FNAME, FCOMMENT]) {
    if ((flags & flag) !== 0) {
      const zero = member.indexOf(0, position)
      position = zero === -1 ? member.byteLength : zero + 1
    }
  }

  return (flags & FHCRC) === 0 ? position : position + 2
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('gzip', reason)
}
