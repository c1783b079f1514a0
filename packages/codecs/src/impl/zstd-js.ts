import { decompress as fzstdDecompress } from 'fzstd'
import { checkZstdFrame } from '../format/zstd-frame.ts'
import { checkHuffmanWeights } from '../format/zstd-weights.ts'
import type { Implementation } from '../implementation.ts'

export function create (): Implementation {
  return {
    decompress (frame, size) {
      checkZstdFrame(frame, size, checkHuffmanWeights)

      return fzstdDecompress(frame, new Uint8Array(size))
    }
  }
}
