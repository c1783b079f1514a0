import { createCRC32 } from 'hash-wasm'
import { decodeSnappyStream, encodeSnappyStream } from '../format/snappy/snappy-framing.ts'
import type { SnappyBlocks } from '../format/snappy/snappy-framing.ts'
import type { Implementation } from '../implementation.ts'

/** The polynomial of CRC-32C, in reversed bit order. */
const CASTAGNOLI = 0x82f63b78
/** Heap for the input and the output of a call: the longest raw block in the framing format, and a chunk. */
const HEAP = 2 * 80 * 1024
const PAGE = 64 * 1024

/** hysnappy's two modules have no allocator: the caller places input and output after `__heap_base`. */
interface Exports {
  readonly memory: WebAssembly.Memory
  // start and end of the module's own data, and start of the free heap
  readonly __global_base: WebAssembly.Global<'i32'>
  readonly __data_end: WebAssembly.Global<'i32'>
  readonly __heap_base: WebAssembly.Global<'i32'>
  /** @returns the length of the output */
  compress (from: number, length: number, to: number): number
  /** @returns 0, or an error code */
  uncompress (from: number, length: number, to: number): number
}

/**
 * Calls hysnappy's modules directly: its own JavaScript writes the input of the encoder over
 * the module's stack. The heaps have a fixed size, for one chunk and one block.
 */
export async function createBlocks (
  compressor: WebAssembly.Module,
  decompressor: WebAssembly.Module
): Promise<SnappyBlocks> {
  const hash = await createCRC32(CASTAGNOLI)
  const encoder = await start(compressor)
  const decoder = await start(decompressor)
  const table = { start: encoder.exports.__global_base.value, end: encoder.exports.__data_end.value }

  return {
    encode (piece) {
      const { bytes, from, to } = encoder.put(piece)
      // clear its hash table: otherwise the output would depend on earlier pieces
      bytes.fill(0, table.start, table.end)
      const length = encoder.exports.compress(from, piece.byteLength, to)

      return bytes.slice(to, to + length)
    },

    decode (block, size) {
      const { bytes, from, to } = decoder.put(block)
      const error = decoder.exports.uncompress(from, block.byteLength, to)

      if (error !== 0) {
        throw new Error(`a block cannot be decoded (hysnappy error ${error})`)
      }

      return bytes.slice(to, to + size)
    },

    crc32c: bytes => Number.parseInt(hash.init().update(bytes).digest(), 16)
  }
}

export async function create (
  compressor: WebAssembly.Module,
  decompressor: WebAssembly.Module
): Promise<Implementation> {
  const blocks = await createBlocks(compressor, decompressor)

  return {
    compress: async bytes => encodeSnappyStream(bytes, blocks),
    decompress: async (frame, size) => decodeSnappyStream(frame, size, blocks)
  }
}

interface Heap {
  exports: Exports
  /** Copy the input to `from` on the heap. The output goes to `to`. */
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
