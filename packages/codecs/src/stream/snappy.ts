import {
  checkChecksum,
  checkIdentifier,
  CHECKSUM_LENGTH,
  CHUNK_SIZE,
  COMPRESSED,
  corrupt,
  decodeChunk,
  FIRST_SKIPPABLE,
  HEADER_LENGTH,
  IDENTIFIER,
  IDENTIFIER_LENGTH,
  MAX_BLOCK_LENGTH,
  UNCOMPRESSED,
  unknownType
} from '../format/snappy/snappy-framing.ts'
import { readUint32 } from '../format/bytes/little-endian.ts'
import type { SnappyBlocks } from '../format/snappy/snappy-framing.ts'
import type { StreamInput } from './stream-input.ts'

/** Decodes consecutive streams of the framing format. The stream identifier starts each, and may recur anywhere. */
export async function * decodeSnappyStreams (
  input: StreamInput,
  blocks: Omit<SnappyBlocks, 'encode'>
): AsyncGenerator<Uint8Array> {
  const [first] = await input.peek(1)

  if (first !== IDENTIFIER) {
    throw corrupt('it does not begin with the stream identifier')
  }

  for (;;) {
    const header = await input.peek(HEADER_LENGTH)

    if (header.byteLength === 0) {
      return
    }

    if (header.byteLength < HEADER_LENGTH) {
      throw corrupt('it is cut short, or other bytes follow it')
    }

    const type = header[0]
    const length = readUint32(header, 0) >>> 8

    if (type === COMPRESSED || type === UNCOMPRESSED) {
      if (length > CHECKSUM_LENGTH + MAX_BLOCK_LENGTH) {
        throw corrupt('a chunk is too long')
      }

      const chunk = await input.read(HEADER_LENGTH + length)
      const data = await decodeChunk(chunk, type, CHUNK_SIZE, blocks)
      checkChecksum(chunk, data, blocks)
      yield data
    } else if (type === IDENTIFIER) {
      checkIdentifier(await input.peek(IDENTIFIER_LENGTH))
      await input.skip(IDENTIFIER_LENGTH)
    } else if (type < FIRST_SKIPPABLE) {
      throw unknownType(type)
    } else {
      await input.skip(HEADER_LENGTH + length)
    }
  }
}
