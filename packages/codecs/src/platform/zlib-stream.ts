import zlib from 'node:zlib'
import type { Duplex } from 'node:stream'

/** The input of a decoder, which can put back bytes that it did not use. */
interface ZlibInput {
  take (): Promise<Uint8Array | undefined>
  unread (bytes: Uint8Array): void
}

interface ZlibStreamOptions {
  /** The size of an output buffer, in bytes. */
  chunkSize: number
  params?: Record<number, number>
}

type Decoder = Duplex & { readonly bytesWritten: number }

/**
 * Decode with a zlib stream, on the thread pool, until the input or the compressed data ends. It
 * takes a chunk when the previous one is used up, and pauses while output waits to be read. So
 * memory is bounded by a chunk, the output buffer and the window.
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

      // how much of the chunk zlib has used
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

/** Resolves when the chunk is used up or the stream has ended: zlib does not call back if part of a chunk is left. */
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
