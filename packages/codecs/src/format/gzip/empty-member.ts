// Room: gzip members that we parse or build byte by byte.
import { writeUint16 } from '../bytes/little-endian.ts'

/** Before the lengths: deflate, an extra field, mtime 0, OS 255. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0x04, 0, 0, 0, 0, 0, 255)

/** The name of the extra subfield, "IT", between two lengths. */
const SUBFIELD = Uint8Array.of(0x49, 0x54)
const HEADER_LENGTH = 16
const SUBFIELD_HEADER_LENGTH = 4

/** An empty final block. The checksum and the length of nothing are 0. */
const END = Uint8Array.of(0x03, 0x00, 0, 0, 0, 0, 0, 0, 0, 0)

/** Make an empty member with at most 65,531 bytes in an extra subfield "IT" (RFC 1952, section 2.3.1.1). */
export function encodeEmptyMember (bytes: Uint8Array): Uint8Array {
  const end = HEADER_LENGTH + bytes.byteLength
  const member = new Uint8Array(end + END.byteLength)

  member.set(HEADER)
  writeUint16(member, 10, SUBFIELD_HEADER_LENGTH + bytes.byteLength)
  member.set(SUBFIELD, 12)
  writeUint16(member, 14, bytes.byteLength)
  member.set(bytes, HEADER_LENGTH)
  member.set(END, end)

  return member
}
