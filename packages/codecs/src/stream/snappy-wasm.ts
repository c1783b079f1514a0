import { createBlocks } from '../impl/snappy-wasm.ts'
import { decodeSnappyStreams } from './snappy.ts'
import type { StreamDecoder } from './stream-decoder.ts'

export async function createStream (
  compressor: WebAssembly.Module,
  decompressor: WebAssembly.Module
): Promise<StreamDecoder> {
  const blocks = await createBlocks(compressor, decompressor)

  return input => decodeSnappyStreams(input, blocks)
}
