import { checkZstdFrame } from '../format/zstd/zstd-frame.ts'
import { toDictionaryFrame } from '../format/zstd/zstd-dictionary-frame.ts'
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
  _ZSTD_createCCtx (): number
  _ZSTD_freeCCtx (context: number): void
  _ZSTD_compress_usingDict (
    context: number,
    to: number,
    capacity: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
    level: number
  ): number
  _ZSTD_createDCtx (): number
  _ZSTD_freeDCtx (context: number): void
  _ZSTD_decompress_usingDict (
    context: number,
    to: number,
    capacity: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number
  ): number
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
    compress: async (bytes, level, { dictionary } = {}) => call(zstd => {
      const { byteLength: length } = bytes
      const capacity = zstd._ZSTD_compressBound(length)

      return dictionary == null
        ? run(zstd, bytes, capacity, (to, from) => zstd._ZSTD_compress(to, capacity, from, length, level))
        : toDictionaryFrame(compressWith(zstd, dictionary, bytes, capacity, level), bytes)
    }),

    async decompress (frame, size, { dictionary } = {}) {
      checkZstdFrame(frame, size, dictionary)
      const { byteLength: length } = frame

      return call(zstd => dictionary == null
        ? run(zstd, frame, size, (to, from) => zstd._ZSTD_decompress(to, size, from, length))
        : decompressWith(zstd, dictionary, frame, size))
    }
  }
}

/** The module exports no way to set parameters, so low levels find little in a large dictionary (docs/codecs.md). */
function compressWith (
  zstd: Zstd,
  dictionary: Uint8Array,
  bytes: Uint8Array,
  capacity: number,
  level: number
): Uint8Array {
  return withDictionary(zstd, dictionary, dictionaryAt => run(zstd, bytes, capacity, (to, from) => {
    const context = checkPointer(zstd._ZSTD_createCCtx(), 'a context')
    const length = zstd._ZSTD_compress_usingDict(
      context, to, capacity, from, bytes.byteLength, dictionaryAt, dictionary.byteLength, level
    )
    zstd._ZSTD_freeCCtx(context)

    return length
  }))
}

function decompressWith (zstd: Zstd, dictionary: Uint8Array, frame: Uint8Array, size: number): Uint8Array {
  return withDictionary(zstd, dictionary, dictionaryAt => run(zstd, frame, size, (to, from) => {
    const context = checkPointer(zstd._ZSTD_createDCtx(), 'a context')
    const length = zstd._ZSTD_decompress_usingDict(
      context, to, size, from, frame.byteLength, dictionaryAt, dictionary.byteLength
    )
    zstd._ZSTD_freeDCtx(context)

    return length
  }))
}

/** Copy the dictionary to the heap for the time of `work`. After a failure, the instance is replaced anyway. */
function withDictionary (
  zstd: Zstd,
  dictionary: Uint8Array,
  work: (dictionaryAt: number) => Uint8Array
): Uint8Array {
  const dictionaryAt = allocate(zstd, dictionary.byteLength)

  zstd.HEAPU8.set(dictionary, dictionaryAt)
  const output = work(dictionaryAt)
  zstd._free(dictionaryAt)

  return output
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
  return checkPointer(zstd._malloc(size), `${size} bytes`)
}

function checkPointer (pointer: number, what: string): number {
  if (pointer === 0) {
    throw new RangeError(`Out of memory: cannot allocate ${what}`)
  }

  return pointer
}
