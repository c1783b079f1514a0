import { CorruptFrameError, WindowTooLargeError } from '../errors.ts'
import { StreamInput } from './stream-input.ts'
import { Turns } from './turns.ts'
import type { CodecName, DecompressStreamOptions } from '../codec.ts'
import type { StreamDecoder } from '../implementation.ts'

/**
 * The most memory that a stream may ask for to look back, 8 MiB: what RFC 8878
 * (section 3.1.1.1.2) recommends that every decoder has. Only those of Zstandard ask.
 */
export const DEFAULT_MAX_WINDOW_SIZE = 8 * 1024 * 1024

/**
 * Run a decoder: its pieces as they come, whatever is wrong by one name, the source
 * let go at the end.
 *
 * It runs on the thread that calls, but for what zlib does in Node. A worker would
 * have to be told when to pull, and keep a place of the pool for as long as a reader
 * likes. Others get their turn.
 */
export async function * decompressStream (
  codec: CodecName,
  decode: StreamDecoder,
  source: AsyncIterable<Uint8Array>,
  { signal, maxWindowSize = DEFAULT_MAX_WINDOW_SIZE }: DecompressStreamOptions = {}
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()

  const input = new StreamInput(codec, source, signal)
  const turns = new Turns()

  try {
    for await (const { buffer, byteOffset, byteLength } of decode(input, { maxWindowSize })) {
      if (byteLength > 0) {
        yield new Uint8Array(buffer, byteOffset, byteLength)
      }

      await turns.next()
      signal?.throwIfAborted()
    }
  } catch (err) {
    signal?.throwIfAborted()

    if (err === input.failure?.error || err instanceof CorruptFrameError || err instanceof WindowTooLargeError) {
      throw err
    }

    throw new CorruptFrameError(codec, err instanceof Error ? err.message : String(err), { cause: err })
  } finally {
    input.close()
  }
}
