import { checkLz4Offsets, decodeLz4Block } from '../format/lz4/lz4-block.ts'
import { assembleLz4Frame, decodeLz4Frame, splitLz4Blocks } from '../format/lz4/lz4-frame.ts'
import { writeUint32 } from '../format/bytes/little-endian.ts'
import { reuseInstance } from './reuse-instance.ts'
import type { Implementation } from '../implementation.ts'
import type { Instance } from './reuse-instance.ts'

/** The module writes and expects the uncompressed length before each block, in four bytes. */
const PREFIX_LENGTH = 4

/** The exports of lz4-wasm, as wasm-bindgen generates them. `result` is a pointer for the results. */
interface Lz4 extends Instance {
  compress (result: number, pointer: number, length: number): void
  decompress (result: number, pointer: number, length: number): void
  __wbindgen_malloc (length: number): number
  __wbindgen_free (pointer: number, length: number): void
  __wbindgen_add_to_stack_pointer (delta: number): number
}

export function create (module: WebAssembly.Module): Implementation {
  const call = reuseInstance(async () => start(module))

  return {
    compress: async bytes => call(lz4 => {
      const pieces = splitLz4Blocks(bytes)
      const blocks = pieces.map(
        piece => run(lz4, 'compress', [piece], block => block.slice(PREFIX_LENGTH)) as Uint8Array
      )

      return assembleLz4Frame(bytes, pieces, blocks)
    }),

    decompress: async (frame, size) => call(lz4 => decodeLz4Frame(frame, size, (block, target, start, end) => {
      // the module accepts an offset of 0, and would return old bytes of its heap
      checkLz4Offsets(block)

      const prefix = new Uint8Array(PREFIX_LENGTH)
      writeUint32(prefix, 0, end - start)

      const position = run(lz4, 'decompress', [prefix, block], bytes => {
        target.set(bytes, start)

        return start + bytes.byteLength
      })

      // the module also refuses valid blocks that decode to fewer bytes than there is room for
      return position ?? decodeLz4Block(block, target, { start, end })
    }))
  }
}

async function start (module: WebAssembly.Module): Promise<Lz4> {
  const { exports } = await WebAssembly.instantiate(module, {
    // called to make an error message, which we do not use
    './lz4_wasm_bg.js': { __wbindgen_string_new: () => 0 }
  })

  return exports as unknown as Lz4
}

/**
 * Call the module with the concatenated parts. `read` gets the result before it is freed.
 *
 * @returns undefined if the call failed
 */
function run<R> (
  lz4: Lz4,
  name: 'compress' | 'decompress',
  parts: readonly Uint8Array[],
  read: (result: Uint8Array) => R
): R | undefined {
  const length = parts.reduce((length, part) => length + part.byteLength, 0)
  const result = lz4.__wbindgen_add_to_stack_pointer(-16)
  // the call frees it
  const pointer = lz4.__wbindgen_malloc(length)
  const heap = new Uint8Array(lz4.memory.buffer)
  let position = pointer

  for (const part of parts) {
    heap.set(part, position)
    position += part.byteLength
  }

  lz4[name](result, pointer, length)

  // if the heap has grown, it has a new buffer
  const [to, written, , failed] = new Uint32Array(lz4.memory.buffer, result, 4)
  lz4.__wbindgen_add_to_stack_pointer(16)

  // only `decompress` reports failures
  if (name === 'decompress' && failed !== 0) {
    return undefined
  }

  const value = read(new Uint8Array(lz4.memory.buffer, to, written))
  lz4.__wbindgen_free(to, written)

  return value
}
