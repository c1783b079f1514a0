import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { messageOf } from '@ipfsz/utils/message-of'
import { CorruptFrameError, WindowTooLargeError } from '../errors.ts'
import { StreamInput } from './stream-input.ts'
import type { CodecName, DecompressStreamOptions } from '../codec.ts'
import type { StreamDecoder } from './stream-decoder.ts'

/**
 * The largest window that a Zstandard stream may need, 8 MiB: RFC 8878 (section 3.1.1.1.2)
 * recommends that every decoder supports it.
 */
const DEFAULT_MAX_WINDOW_SIZE = 8 * 1024 * 1024

/**
 * Run a decoder. Yields its output, turns its failures into CorruptFrameError, and closes the
 * source at the end.
 *
 * It runs on the calling thread, except for zlib in Node, and lets other tasks run now and
 * then. In a worker it would occupy a place of the pool for as long as the reader likes.
 */
export async function * decompressStream (
  codec: CodecName,
  decode: StreamDecoder,
  source: AsyncIterable<Uint8Array>,
  { signal, maxWindowSize = DEFAULT_MAX_WINDOW_SIZE }: DecompressStreamOptions = {}
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()

  const input = new StreamInput(codec, source, signal)
  const breaks = new EventLoopBreaks()

  try {
    for await (const { buffer, byteOffset, byteLength } of decode(input, { maxWindowSize })) {
      if (byteLength > 0) {
        yield new Uint8Array(buffer, byteOffset, byteLength)
      }

      if (breaks.isDue()) {
        await breaks.take()
      }

      signal?.throwIfAborted()
    }
  } catch (err) {
    signal?.throwIfAborted()

    if (err === input.failure?.error || err instanceof CorruptFrameError || err instanceof WindowTooLargeError) {
      throw err
    }

    throw new CorruptFrameError(codec, messageOf(err), { cause: err })
  } finally {
    input.close()
  }
}
