/* oxlint-disable no-underscore-dangle -- the names of Node */
import zlib from 'node:zlib'
import { compressIn, keep, zstdBound } from '@ipfsz/utils/zstd-kept'
import type { ZstdCompress, ZstdOptions } from 'node:zlib'

export type TaskStream = ZstdCompress & {
  /** Left in Node for programs that are older than its streams: one step of the stream, without its events. */
  _processChunk?: (bytes: Uint8Array, flush: number, done: () => void) => void
  _outBuffer?: Uint8Array
}

/** The smallest output buffer that a stream takes, in bytes. The one that it makes by itself is not used. */
const MIN_CHUNK_SIZE = 64

/** A stream to be used as below. */
export function taskStream (options: ZstdOptions): TaskStream {
  return zlib.createZstdCompress({ ...options, chunkSize: MIN_CHUNK_SIZE })
}

/**
 * Compress with zstd on the thread pool, in one task, without the events of `zstdCompress`, which take the calling
 * thread as long as all else. `zstdCompress` takes two tasks: libzstd gets the bytes, and then is told that they end.
 *
 * @returns undefined if the runtime cannot do it
 */
export function zstdInTask (bytes: Uint8Array, options: ZstdOptions): Promise<Uint8Array> | undefined {
  const stream = taskStream(options)

  return typeof stream._processChunk === 'function'
    ? compressInTask(stream, bytes).finally(() => { stream.close() })
    : undefined
}

/**
 * The same in a stream that the caller keeps. After an error, it cannot be used again.
 *
 * @param stream - with `_processChunk`
 * @returns alone in its memory
 */
export async function compressInTask (stream: TaskStream, bytes: Uint8Array): Promise<Uint8Array> {
  const room = zstdBound(bytes.byteLength)
  const { _outBuffer: before } = stream
  const output = before != null && before.byteLength >= room ? before : Buffer.allocUnsafeSlow(room)
  let frame: Uint8Array = new Uint8Array(0)

  Object.assign(stream, { _chunkSize: output.byteLength, _outBuffer: output, _outOffset: 0 })
  // without its queue, and as a copy: the next frame is made in the same memory
  stream.push = (part: Buffer) => {
    frame = new Uint8Array(part)

    return true
  }

  await new Promise<void>((resolve, reject) => {
    stream.on('error', reject)
    stream._processChunk?.(bytes, zlib.constants.ZSTD_e_end, () => {
      stream.off('error', reject)
      resolve()
    })
  })

  return frame
}

/**
 * The same on the calling thread.
 *
 * @returns undefined if the runtime cannot do it
 */
export function zstdHere (bytes: Uint8Array, options: ZstdOptions): Uint8Array | undefined {
  const stream = taskStream(options)

  try {
    return compressIn(keep(stream), bytes)
  } finally {
    stream.close()
  }
}
