import { CorruptFrameError } from '../errors.ts'
import { checkBrotliWindow } from '../format/brotli/brotli-stream.ts'
import { createGlue } from '../generated/brotli-decompress-glue.ts'
import { renewable } from './renewable.ts'
import type { Implementation } from '../implementation.ts'
import type { Instance } from './renewable.ts'
import type * as BrotliDecWasm from 'brotli-dec-wasm/web'

interface Brotli extends Instance {
  glue: typeof BrotliDecWasm
}

export function create (module: WebAssembly.Module): Implementation {
  const call = renewable(async (): Promise<Brotli> => {
    const glue = createGlue() as typeof BrotliDecWasm
    const { memory } = await glue.default({ module_or_path: module })

    return { glue, memory }
  })

  return {
    async decompress (frame, size) {
      checkBrotliWindow(frame)

      return call(({ glue }) => decompress(glue, frame, size))
    }
  }
}

function decompress (brotli: typeof BrotliDecWasm, frame: Uint8Array, size: number): Uint8Array {
  const stream = new brotli.BrotliDecStream()
  // one byte more than there may be, or what is too long would pass for exact
  const result = stream.dec(frame, size + 1)
  const { code, buf: bytes, input_offset: consumed } = result

  // the heap holds the output until it is freed
  result.free()
  stream.free()

  if (code !== brotli.BrotliStreamResultCode.ResultSuccess) {
    throw new CorruptFrameError('brotli', bytes.byteLength > size ? `it decodes to more than ${size} bytes` : 'it is cut short')
  }

  if (consumed !== frame.byteLength) {
    throw new CorruptFrameError('brotli', 'other bytes follow it')
  }

  return bytes
}
