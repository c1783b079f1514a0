import CRC32C from 'crc-32/crc32c.js'
import { CorruptFrameError } from '../errors.ts'
import { readUint32, writeUint32 } from './little-endian.ts'

/** The first chunk of every stream: type 0xff, length 6, "sNaPpY". */
const STREAM_IDENTIFIER = Uint8Array.of(0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59)
/** The most original bytes that a chunk may hold. */
const CHUNK_SIZE = 65536
const CHECKSUM_LENGTH = 4
const HEADER_LENGTH = 4

const COMPRESSED = 0x00
const UNCOMPRESSED = 0x01
/** Chunk types below this one and above {@link UNCOMPRESSED} may not be skipped. */
const FIRST_SKIPPABLE = 0x80
const IDENTIFIER = 0xff

export type SnappyEncode = (bytes: Uint8Array) => Uint8Array
/** Decode a raw block of at most `max` bytes. */
export type SnappyDecode = (block: Uint8Array, max: number) => Uint8Array

/** Make one stream of the framing format. */
export function encodeSnappyStream (bytes: Uint8Array, encode: SnappyEncode): Uint8Array {
  const chunks = Math.ceil(bytes.byteLength / CHUNK_SIZE)
  const stream = new Uint8Array(STREAM_IDENTIFIER.byteLength + chunks * (HEADER_LENGTH + CHECKSUM_LENGTH) + bytes.byteLength)

  stream.set(STREAM_IDENTIFIER)
  let position = STREAM_IDENTIFIER.byteLength

  for (let offset = 0; offset < bytes.byteLength; offset += CHUNK_SIZE) {
    const chunk = bytes.subarray(offset, offset + CHUNK_SIZE)
    const block = encode(chunk)
    const gains = block.byteLength < chunk.byteLength
    const data = gains ? block : chunk

    // the type, and the length in three bytes
    writeUint32(stream, position, (gains ? COMPRESSED : UNCOMPRESSED) | (CHECKSUM_LENGTH + data.byteLength) << 8)
    writeUint32(stream, position + HEADER_LENGTH, maskedChecksum(chunk))
    stream.set(data, position + HEADER_LENGTH + CHECKSUM_LENGTH)
    position += HEADER_LENGTH + CHECKSUM_LENGTH + data.byteLength
  }

  // a copy: the buffer was made for the worst case and would be kept as large
  return stream.slice(0, position)
}

/**
 * Decode one stream that holds `size` bytes.
 *
 * @throws {CorruptFrameError}
 */
export function decodeSnappyStream (stream: Uint8Array, size: number, decode: SnappyDecode): Uint8Array {
  const bytes = new Uint8Array(size)
  let written = 0
  let position = 0

  do {
    if (position + HEADER_LENGTH > stream.byteLength) {
      throw corrupt('it is cut short')
    }

    const type = stream[position]
    const length = readUint32(stream, position) >>> 8
    const end = position + HEADER_LENGTH + length

    if (position === 0 && type !== IDENTIFIER) {
      throw corrupt('it does not begin with the stream identifier')
    }

    if (end > stream.byteLength) {
      throw corrupt('it is cut short')
    }

    const chunk = stream.subarray(position, end)

    if (type === IDENTIFIER) {
      checkIdentifier(chunk)
    } else if (type === COMPRESSED || type === UNCOMPRESSED) {
      const data = decodeChunk(chunk, type, Math.min(CHUNK_SIZE, size - written), decode)
      bytes.set(data, written)
      written += data.byteLength
    } else if (type < FIRST_SKIPPABLE) {
      throw corrupt(`a chunk is of the unknown type ${type}`)
    }

    position = end
  } while (position < stream.byteLength)

  return bytes.subarray(0, written)
}

function decodeChunk (chunk: Uint8Array, type: number, max: number, decode: SnappyDecode): Uint8Array {
  if (chunk.byteLength < HEADER_LENGTH + CHECKSUM_LENGTH) {
    throw corrupt('a chunk is cut short')
  }

  const data = chunk.subarray(HEADER_LENGTH + CHECKSUM_LENGTH)

  if (type === UNCOMPRESSED && data.byteLength > max) {
    throw corrupt('it decodes to too many bytes')
  }

  const bytes = type === COMPRESSED ? decode(data, max) : data

  if (maskedChecksum(bytes) !== readUint32(chunk, HEADER_LENGTH)) {
    throw corrupt('the checksum of a chunk does not match')
  }

  return bytes
}

function checkIdentifier (chunk: Uint8Array): void {
  if (chunk.byteLength !== STREAM_IDENTIFIER.byteLength || chunk.some((byte, i) => byte !== STREAM_IDENTIFIER[i])) {
    throw corrupt('its stream identifier is not that of Snappy')
  }
}

/** CRC-32C, masked as the framing format asks (section 3). */
function maskedChecksum (bytes: Uint8Array): number {
  const checksum = CRC32C.buf(bytes)

  return ((checksum >>> 15 | checksum << 17) + 0xa282ead8) >>> 0
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('snappy', reason)
}
