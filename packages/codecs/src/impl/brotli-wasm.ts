import { loadBrotliWasm } from '#platform'
import { CorruptFrameError } from '../errors.ts'
import type { BrotliStreamResult } from 'brotli-wasm'

const brotli = await loadBrotliWasm()

export function compress (bytes: Uint8Array, level: number): Uint8Array {
  return brotli.compress(bytes, { quality: level })
}

export function decompress (frame: Uint8Array, size: number): Uint8Array {
  const stream = new brotli.DecompressStream()

  try {
    // one byte more than there may be, or what is too long would pass for exact
    const { code, bytes, consumed } = take(stream.decompress(frame, size + 1))

    if (code !== brotli.BrotliStreamResultCode.ResultSuccess) {
      throw new CorruptFrameError('brotli', bytes.byteLength > size ? `it decodes to more than ${size} bytes` : 'it is cut short')
    }

    if (consumed !== frame.byteLength) {
      throw new CorruptFrameError('brotli', 'other bytes follow it')
    }

    return bytes
  } finally {
    stream.free()
  }
}

/** The module's heap holds the output until it is freed, and is never made smaller. */
function take (result: BrotliStreamResult): { code: number, bytes: Uint8Array, consumed: number } {
  const { code, buf: bytes, input_offset: consumed } = result
  result.free()

  return { code, bytes, consumed }
}
