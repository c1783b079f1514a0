import { decompress as fzstdDecompress } from 'fzstd'
import { checkZstdFrame } from '../format/zstd-frame.ts'

export function decompress (frame: Uint8Array, size: number): Uint8Array {
  checkZstdFrame(frame, size)

  return fzstdDecompress(frame, new Uint8Array(size))
}
