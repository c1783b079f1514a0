import { decompress as fzstdDecompress } from 'fzstd'
import { checkZstdFrame } from '../format/zstd-frame.ts'
import { checkHuffmanWeights } from '../format/zstd-weights.ts'

export function decompress (frame: Uint8Array, size: number): Uint8Array {
  checkZstdFrame(frame, size, checkHuffmanWeights)

  return fzstdDecompress(frame, new Uint8Array(size))
}
