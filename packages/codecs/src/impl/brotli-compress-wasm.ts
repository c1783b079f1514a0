// Room: one file for each implementation of a codec: calls into zlib, addons and WebAssembly. Frames are checked before
// a decoder sees them (`format/`).
import { createGlue } from '../generated/brotli-compress-glue.ts'
import { reuseInstance } from './reuse-instance.ts'
import type { Implementation } from '../implementation.ts'
import type { Instance } from './reuse-instance.ts'
import type * as BrotliWasm from 'brotli-wasm'

interface Brotli extends Instance {
  glue: typeof BrotliWasm
}

export function create (module: WebAssembly.Module): Implementation {
  const call = reuseInstance(async (): Promise<Brotli> => {
    const glue = createGlue() as typeof BrotliWasm & { default (module: WebAssembly.Module): Promise<Instance> }
    const { memory } = await glue.default(module)

    return { glue, memory }
  })

  return {
    compress: async (bytes, level) => call(({ glue }) => glue.compress(bytes, { quality: level }))
  }
}
