import { streamZlib } from '#platform'
import { checkPadding } from './gzip-padding.ts'
import type { StreamDecoder } from './stream-decoder.ts'

const CHUNK_SIZE = 128 * 1024

/** zlib continues from member to member, and stops at a zero byte. */
export function createStream (): StreamDecoder {
  return async function * (input) {
    yield * streamZlib('createGunzip', input, { chunkSize: CHUNK_SIZE })
    await checkPadding(input)
  }
}
