import { ChunkQueue } from '@ipfsz/utils/chunk-queue'
import { MAX_READ_BUFFER, MAX_WAITING } from './limits.ts'
import type { Stream } from '@libp2p/interface'

export type StreamChunks = Pick<ChunkQueue, 'next' | 'take' | 'unread'>

/**
 * Read a stream as fast as its chunks are taken: meanwhile it is paused, so that the peer stops sending. The iterator
 * of libp2p's own streams buffers all that arrives (docs/upstream.md).
 *
 * `next` throws if the stream was reset or aborted, or its connection was closed.
 */
export function chunksOf (stream: Stream): StreamChunks {
  const chunks = new ChunkQueue({
    maxWaiting: MAX_WAITING,
    pause () {
      if (stream.readStatus === 'readable') {
        stream.pause()
      }
    },
    resume () {
      if (stream.readStatus === 'paused') {
        stream.resume()
      }
    }
  })

  stream.maxReadBufferLength = Math.max(stream.maxReadBufferLength, MAX_READ_BUFFER)
  stream.addEventListener('message', ({ data }) => { chunks.push(data.subarray()) })
  stream.addEventListener('end', () => {
    // a stream that is reset ends, too, and then closes with an error
    if (!['aborted', 'reset'].includes(stream.status)) {
      chunks.end()
    }
  })
  stream.addEventListener('close', ({ error }) => {
    chunks.end(error ?? new Error('the connection was closed'))
  })

  if (stream.readableEnded) {
    chunks.end()
  }

  return chunks
}
