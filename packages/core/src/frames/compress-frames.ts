import { emit } from '../events.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import type { BufferPool } from './buffer-pool.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { AddFrameEvents } from '../events.ts'
import type { Codec } from '@ipfsz/codecs'
import type { ProgressOptions } from 'progress-events'

export interface CompressFramesOptions extends ProgressOptions<AddFrameEvents> {
  codec: Codec
  level: number
  /** Where the pieces come from that were copied together. */
  pool: BufferPool
  /** How many frames are compressed at one time. */
  concurrency: number
  signal?: AbortSignal | null
}

/** A frame, and how many original bytes it holds. */
export interface Frame {
  size: number
  bytes: Uint8Array
}

/** Cut what a reader has left into pieces of `frameSize` bytes, the last one shorter. */
export async function * splitFrames (reader: ByteReader, frameSize: number, pool: BufferPool): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await reader.read(frameSize, size => pool.take(size))

    // before it is handed on: a worker may take its memory, and then it has no bytes
    const { byteLength } = bytes

    if (byteLength > 0) {
      yield bytes
    }

    if (byteLength < frameSize) {
      return
    }
  }
}

/** Compress pieces, several at one time and in order. */
export async function * compressFrames (pieces: AsyncIterable<Uint8Array>, options: CompressFramesOptions): AsyncGenerator<Frame> {
  const { codec, level, pool, signal } = options

  yield * mapOrdered(pieces, async (piece): Promise<Frame> => {
    const size = piece.byteLength
    // what is of the pool is nobody else's, and may go to a worker
    const bytes = await codec.compress(piece, { level, signal, transfer: pool.isLent(piece) })

    // a codec may hand out what it was given: then the frame still lies there
    if (bytes.buffer !== piece.buffer) {
      pool.release(piece)
    }

    return { size, bytes }
  }, options)
}

/** Report each frame as it passes. */
export async function * reportFrames (frames: AsyncIterable<Frame>, options: ProgressOptions<AddFrameEvents>): AsyncGenerator<Frame> {
  let number = 0

  for await (const frame of frames) {
    emit(options, 'ipfsz:add:frame', { frame: number++, size: frame.size, length: frame.bytes.byteLength })
    yield frame
  }
}
