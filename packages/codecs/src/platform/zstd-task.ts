/* oxlint-disable no-underscore-dangle -- the name of Node */
import zlib from 'node:zlib'
import type { ZstdCompress, ZstdOptions } from 'node:zlib'

type OneTaskStream = ZstdCompress & {
  /** Left in Node for programs that are older than its streams: one step of the stream, without its events. */
  _processChunk?: (bytes: Uint8Array, flush: number, done: () => void) => void
}

/**
 * Compress with zstd in a single task of the thread pool, or in a few if the frame is longer than an eighth of the
 * bytes. `zstdCompress` takes one more, as it is told that the bytes end only after it took them, and twice the time of
 * the calling thread, for the events of its stream.
 *
 * @param bytes - `zstdCompress` may make another frame of them: see `isSameInOneTask`
 * @returns undefined if the runtime cannot do it
 */
export function zstdInOneTask (bytes: Uint8Array, options: ZstdOptions): Promise<Uint8Array> | undefined {
  // more than a frame has: so it never waits for a reader
  const roomy = { ...options, readableHighWaterMark: 2 * bytes.byteLength }
  const stream: OneTaskStream = zlib.createZstdCompress(roomy)

  if (typeof stream._processChunk !== 'function') {
    return undefined
  }

  return new Promise((resolve, reject) => {
    stream.on('error', reject)
    stream._processChunk?.(bytes, zlib.constants.ZSTD_e_end, () => {
      const parts: Buffer[] = []

      // since Node 26, each call returns only one of them
      while (stream.readableLength > 0) {
        parts.push(stream.read() as Buffer)
      }

      const frame = parts.length === 1 ? parts[0] : Buffer.concat(parts)
      stream.close()
      resolve(new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength))
    })
  })
}
