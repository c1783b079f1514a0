import { writeUint32 } from '../bytes/big-endian.ts'
import { corrupt } from './lzo1x.ts'
import { decodeLzo1x } from './lzo1x-decode.ts'
import { encodeLzo1x } from './lzo1x-encode.ts'
import { checkSums, decodeLzopHeader, readChecked } from './lzop-header.ts'
import { encodeLzopHeader, END_LENGTH } from './lzop-header-encode.ts'

/** Maximum number of uncompressed bytes in a block that we write, as lzop does. */
const BLOCK_SIZE = 1 << 18
/** The uncompressed and the compressed length of a block. */
const BLOCK_HEADER_LENGTH = 8

/** The longest LZO1X stream of an input. */
function blockBound (length: number): number {
  return length + Math.floor(length / 16) + 67
}

/** Make an lzop member without checksums of the content. */
export function encodeLzop (bytes: Uint8Array): Uint8Array {
  const header = encodeLzopHeader()
  const blocks = Math.ceil(bytes.byteLength / BLOCK_SIZE)
  // a block that does not shrink is stored, so only the current block may need more room than its input
  const extra = blockBound(BLOCK_SIZE) - BLOCK_SIZE
  const overhead = header.byteLength + blocks * BLOCK_HEADER_LENGTH + extra + END_LENGTH
  const frame = new Uint8Array(bytes.byteLength + overhead)
  let position = header.byteLength

  frame.set(header)

  for (let offset = 0; offset < bytes.byteLength; offset += BLOCK_SIZE) {
    const block = bytes.subarray(offset, offset + BLOCK_SIZE)
    const start = position + BLOCK_HEADER_LENGTH
    let length = encodeLzo1x(block, frame.subarray(start))

    if (length >= block.byteLength) {
      frame.set(block, start)
      length = block.byteLength
    }

    writeUint32(frame, position, block.byteLength)
    writeUint32(frame, position + 4, length)
    position = start + length
  }

  writeUint32(frame, position, 0)

  // copy it: the buffer has room for the worst case, and would stay in memory
  return frame.slice(0, position + END_LENGTH)
}

/**
 * Decode one lzop member of `size` bytes. Verifies checksums if the member has any.
 *
 * @throws {CorruptFrameError}
 */
export function decodeLzop (frame: Uint8Array, size: number): Uint8Array {
  const { start, contentSums, compressedSums } = decodeLzopHeader(frame)
  const bytes = new Uint8Array(size)
  let written = 0
  let position = start

  for (;;) {
    const length = readChecked(frame, position)
    position += 4

    if (length === 0) {
      break
    }

    if (length > size - written) {
      throw corrupt(`it decodes to more than ${size} bytes`)
    }

    const compressedLength = readChecked(frame, position)
    const isCompressed = compressedLength < length
    const end = written + length
    const sums = position + 4
    // a stored block has no checksum of compressed bytes
    const blockStart = sums + 4 * (contentSums.length + (isCompressed ? compressedSums.length : 0))
    position = blockStart + compressedLength

    if (compressedLength > length || position > frame.byteLength) {
      throw corrupt('a block is too long')
    }

    const block = frame.subarray(blockStart, position)

    if (!isCompressed) {
      bytes.set(block, written)
    } else if (decodeLzo1x(block, bytes, written, end) !== end) {
      throw corrupt(`a block does not decode to ${length} bytes`)
    }

    checkSums(frame.subarray(sums), contentSums, bytes.subarray(written, end), 'a block')

    if (isCompressed) {
      checkSums(frame.subarray(sums + 4 * contentSums.length), compressedSums, block, 'a compressed block')
    }

    written = end
  }

  if (written !== size) {
    throw corrupt(`it decodes to ${written} bytes instead of ${size}`)
  }

  if (position !== frame.byteLength) {
    throw corrupt('other bytes follow it')
  }

  return bytes
}
