import { streamZlib, zlibConstants } from '#platform'
import { readZstdBlock, zstdFrames } from './zstd-frames.ts'
import type { StreamDecoder } from '../implementation.ts'
import type { StreamInput } from './stream-input.ts'

/** Blocks that lie next to each other go to zlib together, up to this many bytes: the way to its thread and back takes 30 microseconds. */
const MAX_RUN = 256 * 1024

/** The largest block, so that zlib is asked once for each. */
const CHUNK_SIZE = 128 * 1024

export function createStream (): StreamDecoder {
  return (input, { maxWindowSize }) => {
    const runs = joinRuns(zstdParts(input, maxWindowSize))

    return streamZlib('createZstdDecompress', {
      async take () {
        const next = await runs.next()

        return next.done === true ? undefined : next.value
      },
      unread () {
        throw new Error('zlib ended before a frame did')
      }
    }, {
      chunkSize: CHUNK_SIZE,
      params: { [zlibConstants.ZSTD_d_windowLogMax]: Math.max(10, Math.ceil(Math.log2(maxWindowSize))) }
    })
  }
}

/** Everything but skippable frames, a block at a time, and nothing at the end of a frame: zlib stops where one ends in the middle. */
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

async function * joinRuns (parts: AsyncIterable<Uint8Array | undefined>): AsyncGenerator<Uint8Array> {
  let run: Uint8Array | undefined

  for await (const part of parts) {
    if (run != null && part != null && run.buffer === part.buffer && run.byteOffset + run.byteLength === part.byteOffset && run.byteLength < MAX_RUN) {
      run = new Uint8Array(run.buffer, run.byteOffset, run.byteLength + part.byteLength)
      continue
    }

    if (run != null) {
      yield run
    }

    run = part
  }
}
