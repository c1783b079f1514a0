import { createBlocks } from '../impl/snappy-native.ts'
import { decodeSnappyStreams } from './snappy.ts'
import type { StreamDecoder } from './stream-decoder.ts'

export function createStream (): StreamDecoder {
  const blocks = createBlocks()

  return input => decodeSnappyStreams(input, blocks)
}
