import { nextTask } from './decoding-turns.ts'
import type { DecodingTurns } from './decoding-turns.ts'
import type { Codec } from '@ipfsz/codecs'

/** Bytes of a stream that are decompressed without a pause: 1 MiB takes some 4 ms. */
const MAX_RUN = 1024 * 1024

/**
 * A codec that lets other events of its thread run before each frame, and after each MiB of a stream. There are no
 * workers inside a service worker: without this, a long file would hold up all other requests.
 *
 * @param turns - of all codecs of the thread
 */
export function yieldingCodec (codec: Codec, turns: DecodingTurns): Codec {
  const { decompressStream } = codec

  return {
    ...codec,

    // not copied by the spread: which one runs is found out when it is asked for
    get implementation () {
      return codec.implementation
    },

    decompress: async (frame, options) => turns.run(options.size, () => codec.decompress(frame, options)),

    ...decompressStream == null ? {} : {
      decompressStream: (...args) => yieldBetween(decompressStream.apply(codec, args))
    }
  }
}

async function * yieldBetween (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let run = 0

  for await (const bytes of pieces) {
    yield bytes
    run += bytes.byteLength

    if (run >= MAX_RUN) {
      run = 0
      await nextTask()
    }
  }
}
