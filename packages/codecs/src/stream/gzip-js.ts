import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit2 } from 'pako'
import { CorruptFrameError } from '../errors.ts'
import { checkPadding } from './gzip-padding.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import type { StreamInput } from './stream-input.ts'

/** Window bits: the largest window, plus 16 to accept only gzip. */
const GZIP = 15 + 16
const CHUNK_SIZE = 64 * 1024

export function createStream (): StreamDecoder {
  return async function * (input) {
    do {
      yield * inflateMember(input)
    } while (await isMember(input))

    await checkPadding(input)
  }
}

/**
 * Decode one member. pako checks its checksum and length. Its class Inflate would decode all
 * available input at once, so this uses its low-level functions.
 */
async function * inflateMember (input: StreamInput): AsyncGenerator<Uint8Array> {
  const stream = new ZStream()
  let status: number = zlibInflateInit2(stream, GZIP)

  // Z_BUF_ERROR: the input is used up and there is no more output
  while (status === Z_OK || status === Z_BUF_ERROR) {
    const bytes = await input.take()

    if (bytes == null) {
      throw new CorruptFrameError('gzip', 'it is cut short')
    }

    stream.input = bytes
    stream.next_in = 0
    stream.avail_in = bytes.byteLength

    do {
      if (stream.avail_out === 0) {
        stream.output = new Uint8Array(CHUNK_SIZE)
        stream.next_out = 0
        stream.avail_out = CHUNK_SIZE
      }

      const start = stream.next_out
      status = zlibInflate(stream, Z_NO_FLUSH)
      yield stream.output.subarray(start, stream.next_out)
    } while (status === Z_OK && stream.avail_out === 0)

    if (status === Z_STREAM_END) {
      input.unread(bytes.subarray(stream.next_in))
    }
  }

  if (status !== Z_STREAM_END) {
    throw new CorruptFrameError('gzip', stream.msg === '' ? `zlib reports the error ${status}` : stream.msg)
  }
}

async function isMember (input: StreamInput): Promise<boolean> {
  const [first] = await input.peek(1)

  return first != null && first !== 0
}
