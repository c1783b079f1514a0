import { streamZlib } from '#platform'
import { checkBrotliEnd, checkBrotliStart } from './brotli-checks.ts'
import type { StreamDecoder } from './stream-decoder.ts'

const CHUNK_SIZE = 128 * 1024

export function createStream (): StreamDecoder {
  return async function * (input) {
    await checkBrotliStart(input)
    yield * streamZlib('createBrotliDecompress', input, { chunkSize: CHUNK_SIZE })
    await checkBrotliEnd(input)
  }
}
