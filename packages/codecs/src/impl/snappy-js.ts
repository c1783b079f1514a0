import CRC32C from 'crc-32/crc32c.js'
import snappy from 'snappyjs'
import { decodeSnappyBlock } from '../format/snappy/snappy-block.ts'
import { decodeSnappyStream, encodeSnappyStream } from '../format/snappy/snappy-framing.ts'
import type { SnappyBlocks } from '../format/snappy/snappy-framing.ts'
import type { Implementation } from '../implementation.ts'

export const BLOCKS: SnappyBlocks = {
  encode: snappy.compress,
  decode: decodeSnappyBlock,
  crc32c: CRC32C.buf
}

export function create (): Implementation {
  return {
    compress: async bytes => encodeSnappyStream(bytes, BLOCKS),
    decompress: async (frame, size) => decodeSnappyStream(frame, size, BLOCKS)
  }
}
