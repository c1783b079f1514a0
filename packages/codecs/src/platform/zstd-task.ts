/* oxlint-disable no-underscore-dangle -- the name of Node */
import zlib from 'node:zlib'
import { compressIn, keep, THEN_END } from '@ipfsz/utils/zstd-kept'
import { freeParts, isAlone } from './zlib-output.ts'
import type { ZlibOutput } from './zlib-output.ts'
import type { ZstdCompress, ZstdOptions } from 'node:zlib'

export type TaskStream = ZstdCompress & {
  /** Left in Node for programs that are older than its streams: one step of the stream, without its events. */
  _processChunk?: (bytes: Uint8Array, flush: number, done: () => void) => void
  /** Where the output buffer goes on: it is kept for the next step. */
  _outOffset?: number
}

const NO_BYTES = new Uint8Array()
/** The smallest output buffer that a stream takes, in bytes. */
const MIN_CHUNK_SIZE = 64

/**
 * Compress with zstd on the thread pool, without the events of `zstdCompress`, which take the calling thread as long as
 * all else. Two tasks make the same frame: libzstd takes the bytes, and then is told that they end. In one task, it is
 * told with the bytes, and may make another one: see `isSameInOneTask`.
 *
 * @returns undefined if the runtime cannot do it
 */
export function zstdInTasks (
  bytes: Uint8Array,
  options: ZstdOptions & { chunkSize: number },
  tasks: 1 | 2
): Promise<ZlibOutput> | undefined {
  const stream: TaskStream = zlib.createZstdCompress(options)

  return typeof stream._processChunk === 'function'
    ? compressInTasks(stream, bytes, options.chunkSize, tasks).finally(() => { stream.close() })
    : undefined
}

/**
 * The same in a stream that the caller keeps. After an error, it cannot be used again.
 *
 * @param stream - with `_processChunk`
 */
export async function compressInTasks (
  stream: TaskStream,
  bytes: Uint8Array,
  chunkSize: number,
  tasks: 1 | 2
): Promise<ZlibOutput> {
  const { ZSTD_e_continue: CONTINUE, ZSTD_e_end: END } = zlib.constants
  const parts: Buffer[] = []

  // what is left of the buffer of an earlier frame is too small for this one
  if (stream._outOffset !== 0) {
    Object.assign(stream, { _chunkSize: chunkSize, _outBuffer: Buffer.allocUnsafe(chunkSize), _outOffset: 0 })
  }

  // without its queue: joined there, the parts could not be freed
  stream.push = (part: Buffer) => {
    parts.push(part)

    return true
  }

  await new Promise<void>((resolve, reject) => {
    const done = (): void => {
      stream.off('error', reject)
      resolve()
    }

    stream.on('error', reject)

    if (tasks === 1) {
      stream._processChunk?.(bytes, END, done)
    } else {
      stream._processChunk?.(bytes, CONTINUE, () => { stream._processChunk?.(NO_BYTES, END, done) })
    }
  })

  const frame = parts.length === 1 ? parts[0] : Buffer.concat(parts)
  freeParts(parts, frame, chunkSize)

  return {
    bytes: new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength),
    isAlone: isAlone(frame, chunkSize)
  }
}

/**
 * The same on the calling thread: the frame of two tasks.
 *
 * @returns undefined if the runtime cannot do it
 */
export function zstdInSteps (
  bytes: Uint8Array,
  options: ZstdOptions & { chunkSize: number }
): Uint8Array | undefined {
  // its own buffer is not used: for each frame, it would be garbage of half the size of the frame
  const stream = zlib.createZstdCompress({ ...options, chunkSize: MIN_CHUNK_SIZE })

  try {
    return compressIn(keep(stream), bytes, options.chunkSize, THEN_END)
  } finally {
    stream.close()
  }
}
