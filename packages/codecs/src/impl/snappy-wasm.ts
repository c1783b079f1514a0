import { createCRC32 } from 'hash-wasm'
import { decodeSnappyStream, encodeSnappyStream } from '../format/snappy/snappy-framing.ts'
import type { SnappyBlocks } from '../format/snappy/snappy-framing.ts'
import type { Implementation } from '../implementation.ts'

/** The polynomial of CRC-32C, its bits reversed. */
const CASTAGNOLI = 0x82f63b78
/** The longest raw block that framing lets through, and the original bytes of a chunk: what the heap must hold besides. */
const HEAP = 2 * 80 * 1024
const PAGE = 64 * 1024

/** hysnappy's two modules have no allocator: input and output lie where they are put, behind `__heap_base`. */
interface Exports {
  readonly memory: WebAssembly.Memory
  // where what the module itself keeps begins and ends, and where what it is given may begin
  readonly __global_base: WebAssembly.Global<'i32'>
  readonly __data_end: WebAssembly.Global<'i32'>
  readonly __heap_base: WebAssembly.Global<'i32'>
  /** @returns the length of the output */
  compress (from: number, length: number, to: number): number
  /** @returns 0, or the number of an error */
  uncompress (from: number, length: number, to: number): number
}

/**
 * The heaps never grow: they hold one chunk and one block.
 *
 * hysnappy's own JavaScript is not used: it puts the input of the encoder into the
 * stack of the module.
 */
export async function createBlocks (compressor: WebAssembly.Module, decompressor: WebAssembly.Module): Promise<SnappyBlocks> {
  const hash = await createCRC32(CASTAGNOLI)
  const encoder = await start(compressor)
  const decoder = await start(decompressor)
  const table = { start: encoder.exports.__global_base.value, end: encoder.exports.__data_end.value }

  return {
    encode (piece) {
      const { bytes, from, to } = encoder.put(piece)
      // its table of what it saw in pieces before, which the same piece's block would depend on
      bytes.fill(0, table.start, table.end)
      const length = encoder.exports.compress(from, piece.byteLength, to)

      return bytes.slice(to, to + length)
    },

    decode (block, size) {
      const { bytes, from, to } = decoder.put(block)
      const error = decoder.exports.uncompress(from, block.byteLength, to)

      if (error !== 0) {
        throw new Error(`a block of it cannot be decoded (${error})`)
      }

      return bytes.slice(to, to + size)
    },

    crc32c: bytes => Number.parseInt(hash.init().update(bytes).digest(), 16)
  }
}

export async function create (compressor: WebAssembly.Module, decompressor: WebAssembly.Module): Promise<Implementation> {
  const blocks = await createBlocks(compressor, decompressor)

  return {
    compress: async bytes => encodeSnappyStream(bytes, blocks),
    decompress: async (frame, size) => decodeSnappyStream(frame, size, blocks)
  }
}

interface Heap {
  exports: Exports
  /** Put bytes where the module finds them: at `from`, with the output at `to`. */
  put (input: Uint8Array): { bytes: Uint8Array, from: number, to: number }
}

async function start (module: WebAssembly.Module): Promise<Heap> {
  const { exports: all } = await WebAssembly.instantiate(module)
  const exports = all as unknown as Exports
  const from = exports.__heap_base.value

  exports.memory.grow(Math.ceil((from + HEAP - exports.memory.buffer.byteLength) / PAGE))
  const bytes = new Uint8Array(exports.memory.buffer)

  return {
    exports,

    put (input) {
      bytes.set(input, from)

      return { bytes, from, to: from + HEAP / 2 }
    }
  }
}
