import { WindowTooLargeError } from '../errors.ts'
import { readUint32 } from '../format/bytes/little-endian.ts'
import { RESERVED_BLOCK, RLE_BLOCK } from '../format/zstd/zstd-constants.ts'
import { corrupt, MAGIC, readContentSize, windowSize } from '../format/zstd/zstd-frame.ts'
import { isSkippable, skipSkippable } from './skippable-frame.ts'
import type { StreamInput } from './stream-input.ts'

/** Magic number, descriptor, window, dictionary ID and content size. */
const MAX_HEADER_LENGTH = 4 + 1 + 1 + 4 + 8
const BLOCK_HEADER_LENGTH = 3
/** Maximum bytes in a block, with any window (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK_SIZE = 128 * 1024

/** A frame whose header has been read, but not its blocks. */
export interface ZstdFrame {
  readonly header: Uint8Array
  /** How far back a match may reach, in bytes. */
  readonly window: number
  /** If the header has it. */
  readonly contentSize?: number
  readonly hasChecksum: boolean
}

export interface ZstdBlock {
  /** Including its header. */
  readonly bytes: Uint8Array
  readonly type: number
  /** The length in the header: of the content, or the number of repetitions in an RLE block. */
  readonly length: number
  readonly isLast: boolean
}

/**
 * Yields the headers of the frames in a stream (RFC 8878, section 3.1), without skippable
 * frames: a stream of these alone is empty, as for the zstd tool. The caller reads the blocks and
 * the checksum of a frame before it takes the next.
 *
 * Every decoder uses this, zlib too: it would silently stop after the first frame, and
 * allocate the window before any content arrives.
 *
 * @throws {CorruptFrameError}
 * @throws {WindowTooLargeError}
 */
export async function * zstdFrames (input: StreamInput, maxWindowSize: number): AsyncGenerator<ZstdFrame> {
  for (let frames = 0; ; frames++) {
    const magic = await input.peek(4)

    if (magic.byteLength === 0 && frames > 0) {
      return
    }

    if (magic.byteLength === 4 && isSkippable(readUint32(magic, 0))) {
      await skipSkippable(input)
      continue
    }

    if (magic.byteLength < 4 || readUint32(magic, 0) !== MAGIC) {
      throw corrupt(frames === 0 ? 'it does not begin with the magic number' : 'other bytes follow it')
    }

    yield await readHeader(input, maxWindowSize)
  }
}

async function readHeader (input: StreamInput, maxWindowSize: number): Promise<ZstdFrame> {
  const bytes = await input.peek(MAX_HEADER_LENGTH)
  // undefined if missing. The read below refuses a short header
  const descriptor = bytes[4]
  const isSingleSegment = (descriptor & 0x20) !== 0

  if ((descriptor & 0x08) !== 0) {
    throw corrupt('a reserved bit is set')
  }

  if ((descriptor & 0x03) !== 0) {
    throw corrupt('it needs a dictionary', { needsDictionary: true })
  }

  const position = isSingleSegment ? 5 : 6
  const flag = descriptor >> 6
  const length = flag === 0 ? Number(isSingleSegment) : 1 << flag
  const header = await input.read(position + length)
  const contentSize = length === 0 ? undefined : readContentSize(header, position, length)
  const window = contentSize != null && isSingleSegment ? contentSize : windowSize(header[5])

  if (window > maxWindowSize) {
    throw new WindowTooLargeError('zstd', window, maxWindowSize)
  }

  return {
    header,
    window,
    ...contentSize == null ? {} : { contentSize },
    hasChecksum: (descriptor & 0x04) !== 0
  }
}

/**
 * Read the next block of a frame.
 *
 * @throws {CorruptFrameError} the block has a reserved type, or is too long
 */
export async function readZstdBlock (input: StreamInput, { window }: ZstdFrame): Promise<ZstdBlock> {
  const start = await input.peek(BLOCK_HEADER_LENGTH)

  if (start.byteLength < BLOCK_HEADER_LENGTH) {
    throw corrupt('it is cut short')
  }

  const header = start[0] | start[1] << 8 | start[2] << 16
  const type = header >> 1 & 3
  const length = header >> 3

  if (type === RESERVED_BLOCK || length > Math.min(window, MAX_BLOCK_SIZE)) {
    throw corrupt('a block has a reserved type, or is too long')
  }

  return {
    bytes: await input.read(BLOCK_HEADER_LENGTH + (type === RLE_BLOCK ? 1 : length)),
    type,
    length,
    isLast: (header & 1) === 1
  }
}
