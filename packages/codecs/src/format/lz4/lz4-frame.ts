import { CorruptFrameError } from '../../errors.ts'
import { readUint32, writeUint32 } from '../bytes/little-endian.ts'
import { xxh32 } from '../checksums/xxh32.ts'
import type { CorruptFrameErrorOptions } from '../../errors.ts'

export const MAGIC = 0x184d2204
const HEADER_LENGTH = 15
/** The flag of an uncompressed block, in its length. */
export const UNCOMPRESSED = 0x80000000

// frame descriptor flags (LZ4 Frame Format, "Frame Descriptor")
const VERSION = 0x40
const VERSION_MASK = 0xc0
export const INDEPENDENT = 0x20
export const BLOCK_CHECKSUM = 0x10
const CONTENT_SIZE = 0x08
export const CONTENT_CHECKSUM = 0x04
const RESERVED = 0x02
const DICTIONARY = 0x01

/** The largest block of a frame, by its code. */
const BLOCK_SIZES: Readonly<Record<number, number>> = { 4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22 }

/** Split bytes into the pieces that become blocks. */
export function splitLz4Blocks (bytes: Uint8Array): Uint8Array[] {
  const blockSize = BLOCK_SIZES[sizeCode(bytes.byteLength)]

  return Array.from(
    { length: Math.ceil(bytes.byteLength / blockSize) },
    (_, i) => bytes.subarray(i * blockSize, (i + 1) * blockSize)
  )
}

/**
 * Make a frame with content size and independent blocks, without checksums.
 *
 * @param blocks - the compressed pieces. A piece that did not shrink is stored uncompressed
 */
export function assembleLz4Frame (
  bytes: Uint8Array,
  pieces: readonly Uint8Array[],
  blocks: readonly Uint8Array[]
): Uint8Array {
  const stored = pieces.map((piece, i) => blocks[i].byteLength < piece.byteLength ? blocks[i] : piece)
  const frame = new Uint8Array(stored.reduce((length, block) => length + 4 + block.byteLength, HEADER_LENGTH + 4))
  let position = HEADER_LENGTH

  writeUint32(frame, 0, MAGIC)
  frame[4] = VERSION | INDEPENDENT | CONTENT_SIZE
  frame[5] = sizeCode(bytes.byteLength) << 4
  writeUint32(frame, 6, bytes.byteLength)
  frame[14] = headerChecksum(frame.subarray(4, 14))

  for (const [i, block] of stored.entries()) {
    writeUint32(frame, position, (block.byteLength | (block === pieces[i] ? UNCOMPRESSED : 0)) >>> 0)
    frame.set(block, position + 4)
    position += 4 + block.byteLength
  }

  return frame
}

/** Decodes a block to `target` from `start` to `end` at most, and returns the position after it. */
type Lz4Decode = (block: Uint8Array, target: Uint8Array, start: number, end: number) => number

/**
 * Decode one frame of `size` bytes. Verifies checksums if the frame has any.
 *
 * @throws {CorruptFrameError}
 */
export function decodeLz4Frame (frame: Uint8Array, size: number, decode: Lz4Decode): Uint8Array {
  const { flags, blockSize, start } = readHeader(frame, size)
  const bytes = new Uint8Array(size)
  let written = 0
  let position = start

  for (;;) {
    const header = readChecked(frame, position)
    const length = (header & ~UNCOMPRESSED) >>> 0
    position += 4

    if (header === 0) {
      break
    }

    if (length > blockSize || position + length > frame.byteLength) {
      throw corrupt('a block is too long')
    }

    const block = frame.subarray(position, position + length)
    const end = Math.min(written + blockSize, size)
    position += length

    if ((flags & BLOCK_CHECKSUM) !== 0) {
      checkHash(readChecked(frame, position), block, 'the checksum of a block')
      position += 4
    }

    if ((header & UNCOMPRESSED) === 0) {
      written = decode(block, bytes, written, end)
    } else if (written + length > end) {
      throw corrupt(`it decodes to more than ${size} bytes`)
    } else {
      bytes.set(block, written)
      written += length
    }
  }

  if ((flags & CONTENT_CHECKSUM) !== 0) {
    checkHash(readChecked(frame, position), bytes, 'the checksum of the content')
    position += 4
  }

  if (position !== frame.byteLength) {
    throw corrupt('other bytes follow it')
  }

  return bytes.subarray(0, written)
}

/** The code of the smallest block size that fits all bytes, or of the largest one. */
function sizeCode (length: number): number {
  return [4, 5, 6].find(candidate => BLOCK_SIZES[candidate] >= length) ?? 7
}

function readHeader (frame: Uint8Array, size: number): Lz4Descriptor & { start: number } {
  if (frame.byteLength < HEADER_LENGTH || readUint32(frame, 0) !== MAGIC) {
    throw corrupt('it does not begin with the header of a frame')
  }

  const descriptor = decodeLz4Descriptor(frame.subarray(4))

  if (descriptor.contentSize == null || (descriptor.flags & INDEPENDENT) === 0) {
    throw corrupt('it lacks its content size, or its blocks depend on each other')
  }

  if (descriptor.contentSize !== size) {
    throw corrupt(`it claims to hold ${descriptor.contentSize} bytes instead of ${size}`)
  }

  return { ...descriptor, start: 4 + descriptor.length }
}

/** The descriptor of a frame, which follows its magic number. */
export interface Lz4Descriptor {
  readonly length: number
  readonly flags: number
  /** Maximum number of uncompressed bytes in a block. */
  readonly blockSize: number
  readonly contentSize?: number
}

/** Maximum number of bytes of a descriptor. */
export const MAX_DESCRIPTOR_LENGTH = 11

/**
 * Read and validate the descriptor of a frame.
 *
 * @param bytes - what follows the magic number
 * @throws {CorruptFrameError}
 */
export function decodeLz4Descriptor (bytes: Uint8Array): Lz4Descriptor {
  const [flags, sizes] = bytes
  const blockSize = BLOCK_SIZES[sizes >> 4]

  if ((flags & VERSION_MASK) !== VERSION || (flags & RESERVED) !== 0 || blockSize == null || (sizes & 0x0f) !== 0) {
    throw corrupt('its descriptor has another version')
  }

  if ((flags & DICTIONARY) !== 0) {
    throw corrupt('it needs a dictionary', { needsDictionary: true })
  }

  const hasContentSize = (flags & CONTENT_SIZE) !== 0
  const end = hasContentSize ? 10 : 2

  if (bytes.byteLength <= end) {
    throw corrupt('it is cut short')
  }

  if (bytes[end] !== headerChecksum(bytes.subarray(0, end))) {
    throw corrupt('the checksum of its descriptor does not match')
  }

  return {
    length: end + 1,
    flags,
    blockSize,
    ...hasContentSize ? { contentSize: readUint32(bytes, 2) + readUint32(bytes, 6) * 2 ** 32 } : {}
  }
}

function readChecked (frame: Uint8Array, position: number): number {
  if (position + 4 > frame.byteLength) {
    throw corrupt('it is cut short')
  }

  return readUint32(frame, position)
}

function checkHash (expected: number, bytes: Uint8Array, what: string): void {
  if (xxh32(bytes) !== expected) {
    throw corrupt(`${what} does not match`)
  }
}

/** The checksum of the descriptor: the second byte of its XXH32. */
function headerChecksum (descriptor: Uint8Array): number {
  return xxh32(descriptor) >>> 8 & 0xff
}

function corrupt (reason: string, options?: CorruptFrameErrorOptions): CorruptFrameError {
  return new CorruptFrameError('lz4', reason, options)
}
