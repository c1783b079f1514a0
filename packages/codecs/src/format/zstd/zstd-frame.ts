import { CorruptFrameError } from '../../errors.ts'
import { readUint32 } from '../bytes/little-endian.ts'

export const MAGIC = 0xfd2fb528
/** No window can be stated that is smaller (RFC 8878, section 3.1.1.1.2). */
const MIN_WINDOW = 1024

/** Types of blocks (RFC 8878, section 3.1.1.2.2). */
export const RAW_BLOCK = 0
export const RLE_BLOCK = 1
export const RESERVED_BLOCK = 3

/** What the header of a frame says. */
export interface ZstdHeader {
  /** How far back a match may reach, in bytes. Where the frame is one segment, that is all it holds. */
  readonly window: number
  /** The position of the first block. */
  readonly blocks: number
  /** 4, or 0 where there is no checksum of the content. */
  readonly checksumLength: number
}

/**
 * Receives a block.
 *
 * @param start - the position of its content
 * @param length - as its header says: of the content, or how often the one byte of an RLE block occurs
 */
export type VisitBlock = (type: number, start: number, length: number) => void

/**
 * Check that the bytes are one Zstandard frame, complete and with nothing behind
 * it, that says itself to hold `size` bytes and needs no more memory than that.
 *
 * This reads the headers of the frame and of its blocks (RFC 8878, section 3.1.1)
 * and decodes nothing. It comes before every implementation, because the libraries
 * do not report all of this: zlib stops after the first frame without a word, and
 * the WASM module allocates what the header asks for.
 *
 * @throws {CorruptFrameError}
 */
export function checkZstdFrame (frame: Uint8Array, size: number): ZstdHeader {
  const header = readHeader(frame, size)
  const end = visitBlocks(frame, header.blocks, () => {}) + header.checksumLength

  if (end !== frame.byteLength) {
    throw corrupt(end > frame.byteLength ? 'it is cut short' : 'other bytes follow it')
  }

  return header
}

/** Where the first frame of some bytes ends, which holds `size` bytes. */
export function zstdFrameEnd (bytes: Uint8Array, size: number): number {
  const { blocks, checksumLength } = readHeader(bytes, size)

  return visitBlocks(bytes, blocks, () => {}) + checksumLength
}

function readHeader (frame: Uint8Array, size: number): ZstdHeader {
  if (frame.byteLength < 6 || readUint32(frame, 0) !== MAGIC) {
    throw corrupt('it does not begin with the magic number')
  }

  const descriptor = frame[4]
  const contentSizeFlag = descriptor >> 6
  const singleSegment = (descriptor & 0x20) !== 0

  if ((descriptor & 0x08) !== 0) {
    throw corrupt('a reserved bit is set')
  }

  if ((descriptor & 0x03) !== 0) {
    throw corrupt('it needs a dictionary')
  }

  let position = 5
  const window = singleSegment ? size : windowSize(frame[position++])
  const contentSizeLength = contentSizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << contentSizeFlag

  if (contentSizeLength === 0) {
    throw corrupt('it does not tell its content size')
  }

  const contentSize = readContentSize(frame, position, contentSizeLength)

  if (contentSize !== size) {
    throw corrupt(`it says to hold ${contentSize} bytes instead of ${size}`)
  }

  if (window > Math.max(size, MIN_WINDOW)) {
    throw corrupt(`it needs a window of ${window} bytes for ${size}`)
  }

  return { window, blocks: position + contentSizeLength, checksumLength: (descriptor & 0x04) === 0 ? 0 : 4 }
}

export function readContentSize (frame: Uint8Array, position: number, length: number): number {
  if (position + length > frame.byteLength) {
    throw corrupt('it is cut short')
  }

  let value = 0

  for (let i = length - 1; i >= 0; i--) {
    value = value * 256 + frame[position + i]
  }

  return length === 2 ? value + 256 : value
}

export function windowSize (descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))

  return base + (base / 8) * (descriptor & 7)
}

/**
 * Go from block to block up to the last one. The content of the last block may lead
 * behind the end of the frame, which the caller finds out by the position returned.
 *
 * @returns the position behind the last block
 */
export function visitBlocks (frame: Uint8Array, position: number, visit: VisitBlock): number {
  while (position + 3 <= frame.byteLength) {
    const header = frame[position] | frame[position + 1] << 8 | frame[position + 2] << 16
    const type = header >> 1 & 3
    const length = header >> 3

    if (type === RESERVED_BLOCK) {
      throw corrupt('a block is of a reserved type')
    }

    visit(type, position + 3, length)
    position += 3 + (type === RLE_BLOCK ? 1 : length)

    if ((header & 1) === 1) {
      return position
    }
  }

  throw corrupt('it is cut short')
}

export function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('zstd', reason)
}
