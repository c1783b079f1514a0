/* oxlint-disable no-underscore-dangle -- the name of Node */
import zlib from 'node:zlib'
import { freeParts, isAlone } from './zlib-output.ts'
import type { ZlibOutput } from './zlib-output.ts'
import type { ZstdCompress, ZstdOptions } from 'node:zlib'

type TaskStream = ZstdCompress & {
  /** Left in Node for programs that are older than its streams: one step of the stream, without its events. */
  _processChunk?: (bytes: Uint8Array, flush: number, done: () => void) => void
}

const NO_BYTES = new Uint8Array()

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

  if (typeof stream._processChunk !== 'function') {
    return undefined
  }

  const { ZSTD_e_continue: CONTINUE, ZSTD_e_end: END } = zlib.constants
  const parts: Buffer[] = []

  // without its queue: joined there, the parts could not be freed
  stream.push = (part: Buffer) => {
    parts.push(part)

    return true
  }

  return new Promise((resolve, reject) => {
    const end = (): void => {
      const frame = parts.length === 1 ? parts[0] : Buffer.concat(parts)
      freeParts(parts, frame, options.chunkSize)
      stream.close()
      resolve({
        bytes: new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength),
        isAlone: isAlone(frame, options.chunkSize)
      })
    }

    stream.on('error', reject)

    if (tasks === 1) {
      stream._processChunk?.(bytes, END, end)
    } else {
      stream._processChunk?.(bytes, CONTINUE, () => { stream._processChunk?.(NO_BYTES, END, end) })
    }
  })
}
