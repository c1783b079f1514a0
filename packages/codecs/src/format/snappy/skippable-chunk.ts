// Room: snappy frames that we parse or build byte by byte.
import { writeUint32 } from '../bytes/little-endian.ts'

/** A type of those that decoders skip, 0x80 to 0xfd (framing format, section 4.6). S2 has an index in 0x99. */
const TYPE = 0xa5
const HEADER_LENGTH = 4

/** Make a skippable chunk with at most 76,490 bytes: some decoders refuse more, although they skip it. */
export function encodeSkippableChunk (bytes: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(HEADER_LENGTH + bytes.byteLength)

  // the type in one byte, and the length in three
  writeUint32(chunk, 0, TYPE | bytes.byteLength << 8)
  chunk.set(bytes, HEADER_LENGTH)

  return chunk
}
