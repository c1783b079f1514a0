import { compress as zstdCompress, decompress as zstdDecompress, init } from '@bokuweb/zstd-wasm'
import { checkZstdFrame } from '../format/zstd-frame.ts'

await init()

export function compress (bytes: Uint8Array, level: number): Uint8Array {
  return zstdCompress(bytes, level)
}

export function decompress (frame: Uint8Array, size: number): Uint8Array {
  checkZstdFrame(frame, size)

  return zstdDecompress(frame)
}
