import { loadBrotliWasm } from '#platform'
import { CorruptFrameError } from '../errors.ts'

const brotli = await loadBrotliWasm()

export function compress (bytes: Uint8Array, level: number): Uint8Array {
  return brotli.compress(bytes, { quality: level })
}

export function decompress (frame: Uint8Array, size: number): Uint8Array {
  const stream = new brotli.DecompressStream()

  try {
    // one byte more than there may be, or what is too long would pass for exact
    const result = stream.decompress(frame, size + 1)

    if (result.code !== brotli.BrotliStreamResultCode.ResultSuccess) {
      throw new CorruptFrameError('brotli', result.buf.byteLength > size ? `it decodes to more than ${size} bytes` : 'it is cut short')
    }

    if (result.input_offset !== frame.byteLength) {
      throw new CorruptFrameError('brotli', 'other bytes follow it')
    }

    return result.buf
  } finally {
    stream.free()
  }
}
