import { CorruptFrameError } from '../errors.ts'
import { decodeLz4Block } from '../format/lz4/lz4-block.ts'
import {
  BLOCK_CHECKSUM,
  CONTENT_CHECKSUM,
  decodeLz4Descriptor,
  INDEPENDENT,
  MAGIC,
  MAX_DESCRIPTOR_LENGTH,
  UNCOMPRESSED
} from '../format/lz4/lz4-frame.ts'
import { readUint32 } from '../format/bytes/little-endian.ts'
import { Xxh32 } from '../format/checksums/xxh32.ts'
import { isSkippable, skipSkippable } from './skippable-frame.ts'
import type { Lz4Descriptor } from '../format/lz4/lz4-frame.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import type { StreamInput } from './stream-input.ts'

/** The format of `lz4 -l`: no lengths, no checksums, and no end mark. */
const LEGACY_MAGIC = 0x184c2102
/** How far back a match may reach into earlier blocks, in bytes. */
const HISTORY = 64 * 1024

/** Decodes consecutive frames (LZ4 Frame Format 1.6), and skips skippable ones: a stream of these alone is empty. */
export function createStream (): StreamDecoder {
  return async function * (input) {
    const blocks = new Lz4Blocks()

    for (let frames = 0; ; frames++) {
      const start = await input.peek(4)

      if (start.byteLength === 0 && frames > 0) {
        return
      }

      const magic = start.byteLength < 4 ? 0 : readUint32(start, 0)

      if (isSkippable(magic)) {
        await skipSkippable(input)
        continue
      }

      if (magic === LEGACY_MAGIC) {
        throw corrupt('it is a frame of the legacy format')
      }

      if (magic !== MAGIC) {
        throw corrupt(frames === 0 ? 'it does not begin with the header of a frame' : 'other bytes follow it')
      }

      yield * decodeFrame(input, blocks)
    }
  }
}

async function * decodeFrame (input: StreamInput, blocks: Lz4Blocks): AsyncGenerator<Uint8Array> {
  const descriptor = await readDescriptor(input)
  const { flags, contentSize } = descriptor
  const hash = (flags & CONTENT_CHECKSUM) === 0 ? undefined : new Xxh32()
  let size = 0

  blocks.reset(descriptor)

  for (let header = await readNumber(input); header !== 0; header = await readNumber(input)) {
    const length = (header & ~UNCOMPRESSED) >>> 0

    if (length > descriptor.blockSize) {
      throw corrupt('a block is too long')
    }

    const block = await input.read(length)

    if ((flags & BLOCK_CHECKSUM) !== 0) {
      const blockHash = new Xxh32()
      blockHash.update(block)
      checkHash(blockHash, await readNumber(input), 'the checksum of a block')
    }

    const bytes = blocks.decode(block, (header & UNCOMPRESSED) !== 0)
    hash?.update(bytes)
    size += bytes.byteLength
    yield bytes
  }

  if (contentSize != null && contentSize !== size) {
    throw corrupt(`it decodes to ${size} bytes instead of ${contentSize}`)
  }

  if (hash != null) {
    checkHash(hash, await readNumber(input), 'the checksum of the content')
  }
}

/** Decodes the blocks of a frame, which may refer to earlier blocks. */
class Lz4Blocks {
  /** Decoded bytes, up to `#position`. Reused for all frames: there may be millions of small ones. */
  #target = new Uint8Array(0)
  #position = 0
  #blockSize = 0
  #independent = false

  reset ({ flags, blockSize }: Lz4Descriptor): void {
    this.#independent = (flags & INDEPENDENT) !== 0
    this.#blockSize = blockSize
    this.#position = 0
    // with room for two blocks, the history moves only once for each `blockSize` bytes, however small blocks are
    const size = this.#independent ? blockSize : HISTORY + 2 * blockSize

    if (this.#target.byteLength < size) {
      this.#target = new Uint8Array(size)
    }
  }

  decode (block: Uint8Array, isStored: boolean): Uint8Array {
    if (isStored && this.#independent) {
      return block
    }

    if (this.#independent) {
      this.#position = 0
    } else if (this.#position + this.#blockSize > this.#target.byteLength) {
      this.#target.copyWithin(0, this.#position - HISTORY, this.#position)
      this.#position = HISTORY
    }

    const start = this.#position

    if (isStored) {
      this.#target.set(block, start)
      this.#position += block.byteLength
    } else {
      this.#position = decodeLz4Block(block, this.#target, {
        start,
        end: start + this.#blockSize,
        history: Math.max(0, start - HISTORY)
      })
    }

    return this.#target.slice(start, this.#position)
  }
}

async function readDescriptor (input: StreamInput): Promise<Lz4Descriptor> {
  await input.read(4)
  const descriptor = decodeLz4Descriptor(await input.peek(MAX_DESCRIPTOR_LENGTH))
  await input.read(descriptor.length)

  return descriptor
}

async function readNumber (input: StreamInput): Promise<number> {
  return readUint32(await input.read(4), 0)
}

function checkHash (hash: Xxh32, expected: number, what: string): void {
  if (hash.digest() !== expected) {
    throw corrupt(`${what} does not match`)
  }
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('lz4', reason)
}
