import { streamZlib, zlibConstants } from '#platform'
import { readZstdBlock, zstdFrames } from './zstd-frames.ts'
import type { StreamDecoder } from './stream-decoder.ts'
import type { StreamInput } from './stream-input.ts'

/** Maximum bytes of adjacent blocks to pass to zlib together: a round trip to its thread takes 30 microseconds. */
const MAX_RUN = 256 * 1024

/** The size of the largest block, so zlib needs one call for each block. */
const CHUNK_SIZE = 128 * 1024

/** The largest window of libzstd, 2 GiB (`ZSTD_WINDOWLOG_MAX`). With a larger limit it refuses all streams. */
const MAX_WINDOW_SIZE = 2 ** 31

export function createStream (): StreamDecoder {
  return async function * (input, { maxWindowSize }) {
    const largest = Math.min(maxWindowSize, MAX_WINDOW_SIZE)
    const runs = joinRuns(zstdParts(input, largest))
    const start = await runs.next()

    // zlib refuses an empty stream, and a stream of skippable frames alone is empty
    if (start.done === true) {
      return
    }

    let first: Uint8Array | undefined = start.value

    yield * streamZlib('createZstdDecompress', {
      async take () {
        const next = first == null ? await runs.next() : { done: false, value: first }
        first = undefined

        return next.done === true ? undefined : next.value
      },
      unread () {
        throw new Error('zlib ended before a frame did')
      }
    }, {
      chunkSize: CHUNK_SIZE,
      params: { [zlibConstants.ZSTD_d_windowLogMax]: Math.max(10, Math.ceil(Math.log2(largest))) }
    })
  }
}

/**
 * Yields the headers, blocks and checksums of all frames, and undefined after each frame: zlib
 * stops at the end of a frame if that lies within its input.
 */
async function * zstdParts (input: StreamInput, maxWindowSize: number): AsyncGenerator<Uint8Array | undefined> {
  for await (const frame of zstdFrames(input, maxWindowSize)) {
    yield frame.header

    for (let isLast = false; !isLast;) {
      const block = await readZstdBlock(input, frame)
      yield block.bytes
      isLast = block.isLast
    }

    if (frame.hasChecksum) {
      yield await input.read(4)
    }

    yield undefined
  }
}

/** Joins adjacent parts of one buffer, without copying. */
async function * joinRuns (parts: AsyncIterable<Uint8Array | undefined>): AsyncGenerator<Uint8Array> {
  let run: Uint8Array | undefined

  for await (const part of parts) {
    if (run != null && part != null && areAdjacent(run, part) && run.byteLength < MAX_RUN) {
      run = new Uint8Array(run.buffer, run.byteOffset, run.byteLength + part.byteLength)
      continue
    }

    if (run != null) {
      yield run
    }

    run = part
  }
}

function areAdjacent (a: Uint8Array, b: Uint8Array): boolean {
  return a.buffer === b.buffer && a.byteOffset + a.byteLength === b.byteOffset
}
