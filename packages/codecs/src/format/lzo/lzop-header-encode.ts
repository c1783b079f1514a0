import { adler32 } from '../checksums/adler32.ts'
import { writeUint32 } from '../bytes/big-endian.ts'

// The lzop format has no specification. This follows the behaviour of Debian's lzop 1.04: the
// members that it writes, and the hand-made ones that it accepts.

/** "LZO" between bytes that a transfer as text would damage. The header's checksum covers what follows. */
export const MAGIC = Uint8Array.of(0x89, 0x4c, 0x5a, 0x4f, 0x00, 0x0d, 0x0a, 0x1a, 0x0a)

// the version 1.04 is 0x1040
export const VERSION = 0x1040
/** The version of the LZO library, 2.10. Nothing depends on it. */
const LIBRARY_VERSION = 0x20a0
/** Since this version a header has the version needed for reading, a level, and a 64-bit time. */
export const LONG_HEADER_VERSION = 0x0940

/** LZO1X-1. LZO1X-1(15) and LZO1X-999 search differently, but write the same format. */
export const METHOD = 1
/** The level that lzop writes for {@link METHOD}. */
const LEVEL = 5

/** The flag of an extra field. */
export const EXTRA_FIELD = 0x0040

/** The operating system that wrote the member, which determines the meaning of {@link MODE}. */
const UNIX = 0x03000000

/** A regular file, rw-r--r--. lzop sets it on the file that it extracts. */
const MODE = 0o100644

/** The end of a member: an uncompressed length of 0. */
export const END_LENGTH = 4

/** The length of a header without a name. */
const HEADER_LENGTH = 38

/** The length of an extra field and its checksum, which are around it. */
const EXTRA_OVERHEAD = 8

/**
 * The header that we write, always the same: no name, no time, no checksums of the content.
 *
 * @param extra - what its extra field holds. Default: it has none
 */
export function encodeLzopHeader (extra?: Uint8Array): Uint8Array {
  const header = new Uint8Array(HEADER_LENGTH + (extra == null ? 0 : EXTRA_OVERHEAD + extra.byteLength))

  header.set(MAGIC)
  writeUint32(header, 9, VERSION << 16 | LIBRARY_VERSION)
  writeUint32(header, 13, LONG_HEADER_VERSION << 16 | METHOD << 8 | LEVEL)
  writeUint32(header, 17, extra == null ? UNIX : UNIX | EXTRA_FIELD)
  writeUint32(header, 21, MODE)
  // the 64-bit time and the length of the name stay 0
  writeUint32(header, 34, adler32(header.subarray(MAGIC.byteLength, 34)))

  if (extra != null) {
    const end = header.byteLength - 4

    writeUint32(header, HEADER_LENGTH, extra.byteLength)
    header.set(extra, HEADER_LENGTH + 4)
    writeUint32(header, end, adler32(header.subarray(HEADER_LENGTH, end)))
  }

  return header
}

/** Make an empty member with bytes in the extra field of its header. */
export function encodeEmptyLzop (bytes: Uint8Array): Uint8Array {
  const header = encodeLzopHeader(bytes)
  const member = new Uint8Array(header.byteLength + END_LENGTH)

  member.set(header)

  return member
}
