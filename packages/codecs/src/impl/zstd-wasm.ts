import { checkZstdFrame } from '../format/zstd/zstd-frame.ts'
import { createGlue } from '../generated/zstd-glue.ts'
import { reuseInstance } from './reuse-instance.ts'
import type { Implementation } from '../implementation.ts'
import type { Instance } from './reuse-instance.ts'

/** The C functions of zstd.h, on pointers into the heap. */
interface Zstd extends Instance {
  readonly HEAPU8: Uint8Array
  _malloc (size: number): number
  _free (pointer: number): void
  _ZSTD_isError (code: number): number
  _ZSTD_compressBound (size: number): number
  _ZSTD_compress (to: number, capacity: number, from: number, length: number, level: number): number
  _ZSTD_decompress (to: number, capacity: number, from: number, length: number): number
}

/** The JavaScript that Emscripten generated for the module, with its hooks for custom loading. */
interface Glue extends Omit<Zstd, 'memory'> {
  instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => object
  onRuntimeInitialized: () => void
  init (): void
}

export function create (module: WebAssembly.Module): Implementation {
  const call = reuseInstance(async () => start(module))

  return {
    compress: async (bytes, level) => call(zstd => {
      const capacity = zstd._ZSTD_compressBound(bytes.byteLength)

      return run(zstd, bytes, capacity, (to, from) => zstd._ZSTD_compress(to, capacity, from, bytes.byteLength, level))
    }),

    async decompress (frame, size) {
      checkZstdFrame(frame, size)

      return call(zstd => run(zstd, frame, size, (to, from) => zstd._ZSTD_decompress(to, size, from, frame.byteLength)))
    }
  }
}

async function start (module: WebAssembly.Module): Promise<Zstd> {
  const { Module: glue } = createGlue() as { Module: Glue }
  const { promise, resolve, reject } = Promise.withResolvers<Zstd>()

  glue.instantiateWasm = (imports, receive) => {
    const instantiate = async (): Promise<void> => {
      const instance = await WebAssembly.instantiate(module, imports)
      const memory = Object.values(instance.exports).find(
        value => value instanceof WebAssembly.Memory
      ) as WebAssembly.Memory
      glue.onRuntimeInitialized = () => { resolve(Object.assign(glue, { memory })) }
      receive(instance)
    }

    instantiate().catch(reject)

    return {}
  }

  glue.init()

  return promise
}

/** Copy the input to the heap, run `work`, and copy the output back. */
function run (zstd: Zstd, input: Uint8Array, capacity: number, work: (to: number, from: number) => number): Uint8Array {
  const from = allocate(zstd, input.byteLength)
  const to = allocate(zstd, capacity)

  zstd.HEAPU8.set(input, from)
  const length = work(to, from)

  if (zstd._ZSTD_isError(length) !== 0) {
    throw new Error(`zstd reports the error ${-length}`)
  }

  const output = zstd.HEAPU8.slice(to, to + length)
  zstd._free(to)
  zstd._free(from)

  return output
}

function allocate (zstd: Zstd, size: number): number {
  const pointer = zstd._malloc(size)

  if (pointer === 0) {
    throw new RangeError(`Out of memory: cannot allocate ${size} bytes`)
  }

  return pointer
}
