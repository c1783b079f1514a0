import { raceAbort } from '@ipfsz/utils/race-abort'
import { MAX_BLOCK_SIZE } from './constants.ts'
import { BlockTooLargeError } from './errors.ts'

/** The bytes of a block, in one or many parts. */
export type BlockBytes = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Join the parts of a block. @throws {BlockTooLargeError} */
export async function collectBlock (source: BlockBytes, signal?: AbortSignal | null): Promise<Uint8Array> {
  if (source instanceof Uint8Array) {
    return checkSize(source)
  }

  return raceAbort(collect(source), signal)
}

async function collect (source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0

  for await (const part of source) {
    // the source may write its next part into the same memory
    parts.push(Uint8Array.from(part))
    size += part.byteLength

    if (size > MAX_BLOCK_SIZE) {
      throw new BlockTooLargeError(size, MAX_BLOCK_SIZE)
    }
  }

  return parts.length === 1 ? parts[0] : Buffer.concat(parts, size)
}

function checkSize (bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength > MAX_BLOCK_SIZE) {
    throw new BlockTooLargeError(bytes.byteLength, MAX_BLOCK_SIZE)
  }

  return bytes
}
