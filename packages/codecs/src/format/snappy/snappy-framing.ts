import { CorruptFrameError } from '../../errors.ts'
import { readUint32, writeUint32 } from '../bytes/little-endian.ts'

/** The first chunk of every stream: type 0xff, length 6, "sNaPpY". */
const STREAM_IDENTIFIER = Uint8Array.of(0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59)
export const IDENTIFIER_LENGTH = STREAM_IDENTIFIER.byteLength
/** Maximum number of uncompressed bytes in a chunk. */
export const CHUNK_SIZE = 65536
/** The longest block that an encoder makes of a chunk. Longer ones would only waste memory. */
export const MAX_BLOCK_LENGTH = 32 + CHUNK_SIZE + Math.floor(CHUNK_SIZE / 6)
export const CHECKSUM_LENGTH = 4
export const HEADER_LENGTH = 4

export const COMPRESSED = 0x00
export const UNCOMPRESSED = 0x01
/** Unknown chunk types from here on may be skipped. Lower ones may not. */
export const FIRST_SKIPPABLE = 0x80
export const IDENTIFIER = 0xff

/** The functions that an implementation provides: raw blocks and CRC-32C. */
export interface SnappyBlocks {
  encode: (piece: Uint8Array) => Uint8Array | Promise<Uint8Array>
  /** Decode a raw block that claims to hold `size` bytes, at most 64 KiB. */
  decode: (block: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>
  /** May return a signed or an unsigned number. */
  crc32c: (bytes: Uint8Array) => number
}

/** Encode one stream of the framing format. */
export async function encodeSnappyStream (bytes: Uint8Array, { encode, crc32c }: SnappyBlocks): Promise<Uint8Array> {
  const pieces = Array.from(
    { length: Math.ceil(bytes.byteLength / CHUNK_SIZE) },
    (_, i) => bytes.subarray(i * CHUNK_SIZE, (i + 1) * CHUNK_SIZE)
  )
  const blocks = await Promise.all(pieces.map(encode))
  const chunks = pieces.map((piece, i) => blocks[i].byteLength < piece.byteLength ? blocks[i] : piece)
  const overhead = HEADER_LENGTH + CHECKSUM_LENGTH
  const stream = new Uint8Array(
    chunks.reduce((length, chunk) => length + overhead + chunk.byteLength, STREAM_IDENTIFIER.byteLength)
  )
  let position = STREAM_IDENTIFIER.byteLength

  stream.set(STREAM_IDENTIFIER)

  for (const [i, chunk] of chunks.entries()) {
    // the type in one byte, and the length in three
    writeUint32(
      stream,
      position,
      (chunk === pieces[i] ? UNCOMPRESSED : COMPRESSED) | (CHECKSUM_LENGTH + chunk.byteLength) << 8
    )
    writeUint32(stream, position + HEADER_LENGTH, mask(crc32c(pieces[i])))
    stream.set(chunk, position + overhead)
    position += overhead + chunk.byteLength
  }

  return stream
}

/**
 * Decode one stream of `size` bytes.
 *
 * @throws {CorruptFrameError}
 */
export async function decodeSnappyStream (stream: Uint8Array, size: number, blocks: SnappyBlocks): Promise<Uint8Array> {
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
      const decoded = decodeChunk(chunk, type, Math.min(CHUNK_SIZE, size - written), blocks)
      // await promises only: awaiting each of millions of chunks would take too long
      const data = decoded instanceof Promise ? await decoded : decoded

      checkChecksum(chunk, data, blocks)
      bytes.set(data, written)
      written += data.byteLength
    } else if (type < FIRST_SKIPPABLE) {
      throw unknownType(type)
    }

    position = end
  } while (position < stream.byteLength)

  return bytes.subarray(0, written)
}

/** Decode a chunk of data, including its header and checksum, without verifying the checksum. */
export function decodeChunk (
  chunk: Uint8Array,
  type: number,
  max: number,
  { decode }: Pick<SnappyBlocks, 'decode'>
): Uint8Array | Promise<Uint8Array> {
  if (chunk.byteLength < HEADER_LENGTH + CHECKSUM_LENGTH) {
    throw corrupt('a chunk is cut short')
  }

  const data = chunk.subarray(HEADER_LENGTH + CHECKSUM_LENGTH)
  const size = type === COMPRESSED ? readBlockSize(data) : data.byteLength

  if (size > max || data.byteLength > MAX_BLOCK_LENGTH) {
    throw corrupt('it decodes to too many bytes, or a chunk is too long')
  }

  return type === COMPRESSED ? decode(data, size) : data
}

/** The uncompressed length at the start of a raw block, a varint. */
function readBlockSize (block: Uint8Array): number {
  let size = 0

  for (let i = 0; i < 3 && i < block.byteLength; i++) {
    size |= (block[i] & 0x7f) << 7 * i

    if (block[i] < 0x80) {
      return size
    }
  }

  throw corrupt('a block does not begin with its size')
}

/** @throws {CorruptFrameError} the content of a chunk does not match its checksum */
export function checkChecksum (chunk: Uint8Array, data: Uint8Array, { crc32c }: Pick<SnappyBlocks, 'crc32c'>): void {
  if (mask(crc32c(data)) !== readUint32(chunk, HEADER_LENGTH)) {
    throw corrupt('the checksum of a chunk does not match')
  }
}

export function checkIdentifier (chunk: Uint8Array): void {
  if (chunk.byteLength !== STREAM_IDENTIFIER.byteLength || chunk.some((byte, i) => byte !== STREAM_IDENTIFIER[i])) {
    throw corrupt('its stream identifier is not that of Snappy')
  }
}

/** Mask a checksum as the framing format requires (section 3). */
function mask (checksum: number): number {
  return ((checksum >>> 15 | checksum << 17) + 0xa282ead8) >>> 0
}

export function unknownType (type: number): CorruptFrameError {
  return corrupt(`a chunk has the unknown type ${type}`)
}

export function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('snappy', reason)
}
