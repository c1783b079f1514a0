import { WindowTooLargeError } from '../errors.ts'
import { readUint32 } from '../format/bytes/little-endian.ts'
import { RESERVED_BLOCK, RLE_BLOCK } from '../format/zstd/zstd-constants.ts'
import { corrupt } from '../format/zstd/zstd-frame.ts'
import { MAGIC, MAX_HEADER_LENGTH, readZstdHeader } from '../format/zstd/zstd-header.ts'
import { isSkippable, skipSkippable } from './skippable-frame.ts'
import type { ZstdHeader } from '../format/zstd/zstd-header.ts'
import type { StreamInput } from './stream-input.ts'

const BLOCK_HEADER_LENGTH = 3
/** Maximum bytes in a block, with any window (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK_SIZE = 128 * 1024

/** A frame whose header has been read, but not its blocks. */
export interface ZstdFrame extends ZstdHeader {
  readonly header: Uint8Array
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
  // the read below refuses one that is cut short
  const parsed = readZstdHeader(await input.peek(MAX_HEADER_LENGTH))

  if (parsed.hasReservedBit) {
    throw corrupt('a reserved bit is set')
  }

  if (parsed.needsDictionary) {
    throw corrupt('it needs a dictionary', { needsDictionary: true })
  }

  const header = await input.read(parsed.length)

  if (parsed.window > maxWindowSize) {
    throw new WindowTooLargeError('zstd', parsed.window, maxWindowSize)
  }

  return { ...parsed, header }
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
