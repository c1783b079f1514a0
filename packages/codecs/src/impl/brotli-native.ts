import { zlibConstants } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'

export async function compress (bytes: Uint8Array, level: number): Promise<Uint8Array> {
  return zlibCompress('brotliCompress', bytes, {
    params: {
      [zlibConstants.BROTLI_PARAM_QUALITY]: level,
      [zlibConstants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength
    }
  })
}

export async function decompress (frame: Uint8Array, size: number): Promise<Uint8Array> {
  return zlibDecompress('brotliDecompress', frame, size, reason => new CorruptFrameError('brotli', reason))
}
