import zlib from 'node:zlib'
import type { Duplex } from 'node:stream'

/** Where a stream takes what it decodes, and puts back what it did not use. */
export interface ZlibInput {
  take (): Promise<Uint8Array | undefined>
  unread (bytes: Uint8Array): void
}

export interface ZlibStreamOptions {
  /** The size of an output buffer, in bytes. */
  chunkSize: number
  params?: Record<number, number>
}

type Decoder = Duplex & { readonly bytesWritten: number }

/**
 * Decode with one of zlib's streams, on its thread pool, until the input ends or
 * zlib will have no more of it. A chunk is taken when the one before is used up, and
 * output waits to be taken: memory is bounded by both and a window.
 */
export async function * streamZlib (
  name: 'createZstdDecompress' | 'createGunzip' | 'createBrotliDecompress',
  input: ZlibInput,
  options: ZlibStreamOptions
): AsyncGenerator<Uint8Array> {
  const decoder: Decoder = zlib[name](options)
  const feeding = feed(decoder, input)

  try {
    yield * decoder
  } finally {
    decoder.destroy()
  }

  await feeding
}

async function feed (decoder: Decoder, input: ZlibInput): Promise<void> {
  try {
    for (;;) {
      const chunk = await input.take()

      if (chunk == null) {
        decoder.end()
        return
      }

      if (decoder.destroyed) {
        return
      }

      const before = decoder.bytesWritten
      await write(decoder, chunk)

      if (decoder.destroyed) {
        return
      }

      // how many of its input zlib has used
      const used = decoder.bytesWritten - before

      if (used < chunk.byteLength) {
        input.unread(chunk.subarray(used))
        return
      }
    }
  } catch (err) {
    decoder.destroy(err as Error)
  }
}

/** Settled when the chunk is used up, or the stream has ended: of a chunk that it does not use up it tells nothing. */
async function write (decoder: Decoder, chunk: Uint8Array): Promise<void> {
  await new Promise<void>(resolve => {
    const done = (): void => {
      decoder.off('end', done)
      decoder.off('close', done)
      resolve()
    }

    decoder.on('end', done)
    decoder.on('close', done)
    decoder.write(chunk, done)
  })
}
