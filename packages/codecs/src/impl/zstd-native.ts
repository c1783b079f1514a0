import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { checkZstdFrame } from '../format/zstd-frame.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'

export async function compress (bytes: Uint8Array, level: number): Promise<Uint8Array> {
  return zlibCompress('zstdCompress', bytes, {
    // unless told, the asynchronous call leaves the content size out of the header
    pledgedSrcSize: bytes.byteLength,
    params: { [zlibConstants.ZSTD_c_compressionLevel]: level }
  })
}

export async function decompress (frame: Uint8Array, size: number): Promise<Uint8Array> {
  checkZstdFrame(frame, size)

  return zlibDecompress('zstdDecompress', frame, size, reason => new CorruptFrameError('zstd', reason))
}
