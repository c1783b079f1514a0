import { hasAddon, loadAddon } from '#platform'
import CRC32C from 'crc-32/crc32c.js'
import { decodeSnappyBlock } from '../format/snappy/snappy-block.ts'
import { decodeSnappyStream, encodeSnappyStream } from '../format/snappy/snappy-framing.ts'
import type { SnappyBlocks } from '../format/snappy/snappy-framing.ts'
import type { Implementation } from '../implementation.ts'
import type * as Crc32 from '@node-rs/crc32'
import type * as Snappy from 'snappy'

/** The addon's documentation calls this slower. Measured, it is 1.5 to 3 times as fast. */
const COPY = { copyOutputData: true }

/** Shorter blocks are decoded in JavaScript: a round trip to a thread takes 20 microseconds. */
const MIN_LENGTH = 4096

/** Runs on the thread pool of the process. Uses the processor's CRC-32C instruction if @node-rs/crc32 is installed. */
export function createBlocks (): SnappyBlocks {
  const { compress, uncompress } = loadAddon('snappy') as typeof Snappy

  return {
    encode: async (piece: Uint8Array) => compress(piece, COPY),
    decode: (block: Uint8Array, size: number) => block.byteLength < MIN_LENGTH
      ? decodeSnappyBlock(block, size)
      : uncompress(block, { ...COPY, asBuffer: true }) as Promise<Buffer>,
    crc32c: hasAddon('@node-rs/crc32') ? (loadAddon('@node-rs/crc32') as typeof Crc32).crc32c : CRC32C.buf
  }
}

export function create (): Implementation {
  const blocks = createBlocks()

  return {
    compress: async bytes => encodeSnappyStream(bytes, blocks),
    decompress: async (frame, size) => decodeSnappyStream(frame, size, blocks)
  }
}
