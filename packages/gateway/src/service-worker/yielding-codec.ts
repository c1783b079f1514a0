import type { Codec } from '@ipfsz/codecs'

/** Bytes of a stream that are decompressed without a pause: 1 MiB takes some 4 ms. */
const MAX_RUN = 1024 * 1024

/**
 * A codec that lets other events of its thread run before each frame, and after each MiB of a stream. There are no
 * workers inside a service worker: without this, a long file would hold up all other requests.
 */
export function yieldingCodec (codec: Codec): Codec {
  const { decompressStream } = codec

  return {
    ...codec,

    // not copied by the spread: which one runs is found out when it is asked for
    get implementation () {
      return codec.implementation
    },

    async decompress (...args) {
      await nextTask()

      return codec.decompress(...args)
    },

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

/** Resolves in a new task, after the events that wait already. Timers would pause for 4 ms. */
async function nextTask (): Promise<void> {
  const { port1, port2 } = new MessageChannel()

  await new Promise<void>(resolve => {
    port1.addEventListener('message', () => { resolve() })
    port1.start()
    port2.postMessage(undefined)
  })

  port1.close()
}
