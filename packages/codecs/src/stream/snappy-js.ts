import { BLOCKS } from '../impl/snappy-js.ts'
import { decodeSnappyStreams } from './snappy.ts'
import type { StreamDecoder } from './stream-decoder.ts'

export function createStream (): StreamDecoder {
  return input => decodeSnappyStreams(input, BLOCKS)
}
