import { decodeLz4Block } from '../format/lz4/lz4-block.ts'
import { compressLz4Block } from '../format/lz4/lz4-encode.ts'
import { assembleLz4Frame, decodeLz4Frame, splitLz4Blocks } from '../format/lz4/lz4-frame.ts'
import type { Implementation } from '../implementation.ts'

export function create (): Implementation {
  return {
    compress (bytes) {
      const pieces = splitLz4Blocks(bytes)

      return assembleLz4Frame(bytes, pieces, pieces.map(compressLz4Block))
    },

    decompress: (frame, size) => decodeLz4Frame(frame, size, (block, target, start, end) =>
      decodeLz4Block(block, target, { start, end }))
  }
}
