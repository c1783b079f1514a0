import { CorruptFrameError } from '../../errors.ts'
import { RESERVED_BLOCK, RLE_BLOCK } from './zstd-constants.ts'
import { isZstdFrame, readZstdHeader } from './zstd-header.ts'
import type { CorruptFrameErrorOptions } from '../../errors.ts'
import type { ZstdHeader } from './zstd-header.ts'

/** The smallest window that a header can encode (RFC 8878, section 3.1.1.1.2). */
const MIN_WINDOW = 1024

const CUT_SHORT = 'it is cut short'

/**
 * Receives a block.
 *
 * @param start - the position of its content
 * @param length - the length in its header: of the content, or the number of repetitions in an RLE block
 */
type VisitBlock = (type: number, start: number, length: number) => void

/**
 * Check that the bytes are exactly one complete Zstandard frame, which claims to hold `size`
 * bytes and needs no larger window.
 *
 * This reads the headers of the frame and of its blocks (RFC 8878, section 3.1.1), and decodes
 * nothing. Every implementation uses it, because the libraries do not check all of this: zlib
 * silently stops after the first frame, and the WebAssembly module allocates what the header
 * claims.
 *
 * @param dictionary - a frame with a dictionary must have a checksum: nothing else would tell that
 * the dictionary is a wrong one. Its window must hold all of its content, so that all of it can
 * refer to the dictionary (RFC 8878, section 5): libzstd does not check that.
 * @throws {CorruptFrameError}
 */
export function checkZstdFrame (frame: Uint8Array, size: number, dictionary?: Uint8Array): ZstdHeader {
  const header = readHeader(frame, size)

  if (dictionary != null && !header.hasChecksum) {
    throw corrupt('it has no checksum, which a frame with a dictionary needs')
  }

  if (dictionary != null && header.window < size) {
    throw corrupt(`its window of ${header.window} bytes is too small for ${size} with a dictionary`)
  }

  const end = frameEnd(frame, header)

  if (end !== frame.byteLength) {
    throw corrupt(end > frame.byteLength ? CUT_SHORT : 'other bytes follow it')
  }

  return header
}

/**
 * The end of the first frame, which has to hold `size` bytes.
 *
 * @throws {CorruptFrameError} also if the frame is cut short
 */
export function zstdFrameEnd (bytes: Uint8Array, size: number): number {
  const end = frameEnd(bytes, readHeader(bytes, size))

  if (end > bytes.byteLength) {
    throw corrupt(CUT_SHORT)
  }

  return end
}

function readHeader (frame: Uint8Array, size: number): ZstdHeader {
  if (!isZstdFrame(frame)) {
    throw corrupt('it does not begin with the magic number')
  }

  const header = readZstdHeader(frame)
  const { length, window, contentSize } = header

  if (header.hasReservedBit) {
    throw corrupt('a reserved bit is set')
  }

  if (header.needsDictionary) {
    throw corrupt('it needs a dictionary', { needsDictionary: true })
  }

  if (contentSize == null) {
    throw corrupt('it has no content size')
  }

  if (length > frame.byteLength) {
    throw corrupt(CUT_SHORT)
  }

  if (contentSize !== size) {
    throw corrupt(`it claims to hold ${contentSize} bytes instead of ${size}`)
  }

  if (window > Math.max(size, MIN_WINDOW)) {
    throw corrupt(`it needs a window of ${window} bytes for ${size}`)
  }

  return header
}

/** The end of a frame, with its checksum. It may be after the end of the bytes. */
function frameEnd (frame: Uint8Array, { length, hasChecksum }: ZstdHeader): number {
  return visitBlocks(frame, length, () => {}) + (hasChecksum ? 4 : 0)
}

/**
 * Visit all blocks.
 *
 * @returns the position after the last block. It may be after the end of the frame: the caller has to check that
 */
export function visitBlocks (frame: Uint8Array, position: number, visit: VisitBlock): number {
  while (position + 3 <= frame.byteLength) {
    const header = frame[position] | frame[position + 1] << 8 | frame[position + 2] << 16
    const type = header >> 1 & 3
    const length = header >> 3

    if (type === RESERVED_BLOCK) {
      throw corrupt('a block has a reserved type')
    }

    visit(type, position + 3, length)
    position += 3 + (type === RLE_BLOCK ? 1 : length)

    if ((header & 1) === 1) {
      return position
    }
  }

  throw corrupt(CUT_SHORT)
}

export function corrupt (reason: string, options?: CorruptFrameErrorOptions): CorruptFrameError {
  return new CorruptFrameError('zstd', reason, options)
}
