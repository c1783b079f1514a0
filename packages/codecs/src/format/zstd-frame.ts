import { CorruptFrameError } from '../errors.ts'
import { readUint32 } from './little-endian.ts'

const MAGIC = 0xfd2fb528
const RESERVED_BLOCK = 3
const RLE_BLOCK = 1
const COMPRESSED_BLOCK = 2
/** No window can be stated that is smaller (RFC 8878, section 3.1.1.1.2). */
const MIN_WINDOW = 1024

/**
 * Check that the bytes are one Zstandard frame, complete and with nothing behind
 * it, that says itself to hold `size` bytes and needs no more memory than that.
 *
 * This reads the headers of the frame and of its blocks (RFC 8878, section 3.1.1)
 * and decodes nothing. It comes before every implementation, because none of them
 * reports all of this: zlib stops after the first frame without a word, and the
 * WASM module allocates what the header asks for.
 *
 * @param checkBlock - called with the content of every compressed block
 * @throws {CorruptFrameError}
 */
export function checkZstdFrame (frame: Uint8Array, size: number, checkBlock: (block: Uint8Array) => void = () => {}): void {
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
  const windowDescriptor = singleSegment ? undefined : frame[position++]
  const contentSizeLength = contentSizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << contentSizeFlag

  if (contentSizeLength === 0) {
    throw corrupt('it does not tell its content size')
  }

  const contentSize = readContentSize(frame, position, contentSizeLength)
  position += contentSizeLength

  if (contentSize !== size) {
    throw corrupt(`it says to hold ${contentSize} bytes instead of ${size}`)
  }

  if (windowDescriptor != null && windowSize(windowDescriptor) > Math.max(size, MIN_WINDOW)) {
    throw corrupt(`it needs a window of ${windowSize(windowDescriptor)} bytes for ${size}`)
  }

  position = skipBlocks(frame, position, checkBlock)

  const checksumLength = (descriptor & 0x04) === 0 ? 0 : 4

  if (position + checksumLength !== frame.byteLength) {
    throw corrupt(position + checksumLength > frame.byteLength ? 'it is cut short' : 'other bytes follow it')
  }
}

function readContentSize (frame: Uint8Array, position: number, length: number): number {
  if (position + length > frame.byteLength) {
    throw corrupt('it is cut short')
  }

  let value = 0

  for (let i = length - 1; i >= 0; i--) {
    value = value * 256 + frame[position + i]
  }

  return length === 2 ? value + 256 : value
}

function windowSize (descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))

  return base + (base / 8) * (descriptor & 7)
}

/** The position behind the last block. */
function skipBlocks (frame: Uint8Array, position: number, checkBlock: (block: Uint8Array) => void): number {
  while (position + 3 <= frame.byteLength) {
    const header = frame[position] | frame[position + 1] << 8 | frame[position + 2] << 16
    const type = header >> 1 & 3

    if (type === RESERVED_BLOCK) {
      throw corrupt('a block is of a reserved type')
    }

    const start = position + 3
    position = start + (type === RLE_BLOCK ? 1 : header >> 3)

    if (type === COMPRESSED_BLOCK) {
      checkBlock(frame.subarray(start, position))
    }

    if ((header & 1) === 1) {
      return position
    }
  }

  throw corrupt('it is cut short')
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('zstd', reason)
}
