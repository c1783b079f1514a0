import { decodeZstdFrame } from '../format/zstd/zstd-decode.ts'
import type { Implementation } from '../implementation.ts'

export function create (): Implementation {
  return { decompress: (frame, size, { dictionary } = {}) => decodeZstdFrame(frame, size, dictionary) }
}
