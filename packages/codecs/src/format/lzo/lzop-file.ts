import { writeUint32 } from '../bytes/big-endian.ts'
import { corrupt } from './lzo1x.ts'
import { decodeLzo1x } from './lzo1x-decode.ts'
import { encodeLzo1x } from './lzo1x-encode.ts'
import { checkSums, decodeLzopHeader, encodeLzopHeader, readChecked } from './lzop-header.ts'

/** The most original bytes that a block of ours holds, as in the members of lzop itself. */
const BLOCK_SIZE = 1 << 18
/** The original length of a block, and the compressed one. */
const BLOCK_HEADER_LENGTH = 8
/** What ends a member: a block's original length of 0. */
const END_LENGTH = 4

/** The most bytes that a stream of LZO1X may take, for any input. */
function blockBound (length: number): number {
  return length + Math.floor(length / 16) + 67
}

/** Make one member of lzop, without checksums of the content. */
export function encodeLzop (bytes: Uint8Array): Uint8Array {
  const header = encodeLzopHeader()
  const blocks = Math.ceil(bytes.byteLength / BLOCK_SIZE)
  // a block that does not shrink is stored, so no more than one at a time needs more room than it had
  const frame = new Uint8Array(header.byteLength + blocks * BLOCK_HEADER_LENGTH + bytes.byteLength + blockBound(BLOCK_SIZE) - BLOCK_SIZE + END_LENGTH)
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

  // a copy: the buffer was made for the worst case and would be kept as large
  return frame.slice(0, position + END_LENGTH)
}

/**
 * Decode one member of lzop that holds `size` bytes. Checksums are checked where
 * a member has them.
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
    // a stored block has no checksums of its compressed bytes
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

    checkSums(frame, sums, contentSums, bytes.subarray(written, end), 'a block')

    if (isCompressed) {
      checkSums(frame, sums + 4 * contentSums.length, compressedSums, block, 'a compressed block')
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
