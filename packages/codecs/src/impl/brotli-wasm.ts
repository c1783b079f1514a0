import { CorruptFrameError } from '../errors.ts'
import { createGlue } from '../generated/brotli-glue.ts'
import { renewable } from './renewable.ts'
import type { Implementation } from '../implementation.ts'
import type { Instance } from './renewable.ts'
import type * as BrotliWasm from 'brotli-wasm'

interface Brotli extends Instance {
  glue: typeof BrotliWasm
}

export function create (module?: WebAssembly.Module): Implementation {
  const call = renewable(async () => start(module as WebAssembly.Module))

  return {
    compress: async (bytes, level) => call(({ glue }) => glue.compress(bytes, { quality: level })),
    decompress: async (frame, size) => call(({ glue }) => decompress(glue, frame, size))
  }
}

async function start (module: WebAssembly.Module): Promise<Brotli> {
  const glue = createGlue() as typeof BrotliWasm & { default (module: WebAssembly.Module): Promise<Instance> }
  const { memory } = await glue.default(module)

  return { glue, memory }
}

function decompress (brotli: typeof BrotliWasm, frame: Uint8Array, size: number): Uint8Array {
  const stream = new brotli.DecompressStream()
  // one byte more than there may be, or what is too long would pass for exact
  const result = stream.decompress(frame, size + 1)
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
