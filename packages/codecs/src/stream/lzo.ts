import { MAX_FRAME_SIZE } from '../constants.ts'
import { readUint32 } from '../format/bytes/big-endian.ts'
import { corrupt } from '../format/lzo/lzo1x.ts'
import { decodeLzo1x } from '../format/lzo/lzo1x-decode.ts'
import { checkSums, decodeLzopHeader, lzopHeaderBound, MAX_HEADER_LENGTH } from '../format/lzo/lzop-header.ts'
import type { LzopHeader } from '../format/lzo/lzop-header.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import type { StreamInput } from './stream-input.ts'

/** Decodes consecutive lzop members. */
export function createStream (): StreamDecoder {
  return async function * (input) {
    do {
      yield * decodeMember(input)
    } while ((await input.peek(1)).byteLength > 0)
  }
}

async function * decodeMember (input: StreamInput): AsyncGenerator<Uint8Array> {
  const bound = lzopHeaderBound(await input.peek(MAX_HEADER_LENGTH))
  const header = decodeLzopHeader(await input.peek(bound))
  await input.skip(header.start)

  for (let length = await readNumber(input); length !== 0; length = await readNumber(input)) {
    yield await decodeBlock(input, header, length)
  }
}

/** Decode a block, with the checks of `decodeLzop`. */
async function decodeBlock (
  input: StreamInput,
  { contentSums, compressedSums }: LzopHeader,
  length: number
): Promise<Uint8Array> {
  const compressedLength = await readNumber(input)

  // lzop accepts blocks of 64 MiB, but writes blocks of 256 KiB
  if (length > MAX_FRAME_SIZE || compressedLength > length) {
    throw corrupt('a block is too long')
  }

  const isCompressed = compressedLength < length
  // a stored block has no checksum of compressed bytes
  const sums = await input.read(4 * (contentSums.length + (isCompressed ? compressedSums.length : 0)))
  const block = await input.read(compressedLength)
  const bytes = isCompressed ? new Uint8Array(length) : block

  if (isCompressed && decodeLzo1x(block, bytes, 0, length) !== length) {
    throw corrupt(`a block does not decode to ${length} bytes`)
  }

  checkSums(sums, contentSums, bytes, 'a block')

  if (isCompressed) {
    checkSums(sums.subarray(4 * contentSums.length), compressedSums, block, 'a compressed block')
  }

  return bytes
}

async function readNumber (input: StreamInput): Promise<number> {
  return readUint32(await input.read(4), 0)
}
