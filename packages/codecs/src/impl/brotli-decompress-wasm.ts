import { CorruptFrameError } from '../errors.ts'
import { checkBrotliWindow } from '../format/brotli/brotli-stream.ts'
import { createGlue } from '../generated/brotli-decompress-glue.ts'
import { reuseInstance } from './reuse-instance.ts'
import type { Implementation } from '../implementation.ts'
import type { Instance } from './reuse-instance.ts'
import type * as BrotliDecWasm from 'brotli-dec-wasm/web'

interface Brotli extends Instance {
  glue: typeof BrotliDecWasm
}

export function create (module: WebAssembly.Module): Implementation {
  const call = reuseInstance(async (): Promise<Brotli> => {
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
  // ask for one more byte than allowed, to detect frames that are too long
  const result = stream.dec(frame, size + 1)
  const { code, buf: bytes, input_offset: consumed } = result

  // free the output on the WebAssembly heap
  result.free()
  stream.free()

  if (code !== brotli.BrotliStreamResultCode.ResultSuccess) {
    const reason = bytes.byteLength > size ? `it decodes to more than ${size} bytes` : 'it is cut short'

    throw new CorruptFrameError('brotli', reason)
  }

  if (consumed !== frame.byteLength) {
    throw new CorruptFrameError('brotli', 'other bytes follow it')
  }

  return bytes
}
