import { unmarkResult } from '@ipfsz/utils/free-bytes'
import { BufferPool } from './buffer-pool.ts'
import { emit } from '../events.ts'
import { compressAided } from './compress-aided.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { Aid } from './compress-aided.ts'
import type { AddFrameEvents } from '../events.ts'
import type { Region } from '../format/header.ts'
import type { Codec } from '@ipfsz/codecs'
import type { ProgressOptions } from 'progress-events'

/** What compresses the frames of a file. */
export type FrameCodec = Pick<Codec, 'name' | 'code' | 'compress'>

interface CompressFramesOptions extends ProgressOptions<AddFrameEvents> {
  codec: Pick<Codec, 'compress'>
  /** The level for pieces without a base. */
  level: number
  /** The level for those with one, and the levels to try if it finds too little of what both have in common. */
  basedLevels: readonly number[]
  /** How many frames are in memory at a time: compressed, or waiting for those before them. */
  concurrency: number
  signal?: AbortSignal | null
  /** Called once a piece is compressed, or cannot be. */
  onDone?: ((piece: Uint8Array) => void) | undefined
}

/** A piece of a file to compress. */
export interface Piece extends Partial<Aid> {
  bytes: Uint8Array
  /**
   * The region of the base that is most like it. Undefined if there is no base, and empty if nothing there is
   * like it.
   */
  region?: Region
  /** Whether the region is known to help. */
  isAided?: boolean
  /** The frame, if it was compressed already by comparing it with the base. */
  frame?: ComparedFrame
  /** Then, where in the base the piece that follows is expected. */
  next?: number
  /** And where all of the piece is in the base, if it did not change. */
  sameAt?: number
}

interface ComparedFrame {
  bytes: Uint8Array
  /** Resolves once it was decoded to the piece. Until then, the piece must not change. */
  checked: Promise<void>
}

/** A compressed frame, and how many original bytes it holds. */
export interface Frame {
  size: number
  bytes: Uint8Array
  /** The region of the base that it refers back to. */
  region?: Region
  /** Resolves once it was decoded to the piece, if that is still going on: the file's CID is not told before. */
  checked?: Promise<void>
}

/** Split the rest of a reader into pieces of `frameSize` bytes. The last one may be shorter. */
export async function * splitFrames (
  reader: ByteReader,
  frameSize: number,
  pool: BufferPool
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await reader.read(frameSize, size => pool.take(size))

    // read it now: a worker may take over the memory, which leaves no bytes
    const { byteLength } = bytes

    if (byteLength > 0) {
      yield bytes
    }

    if (byteLength < frameSize) {
      return
    }
  }
}

/** Compress pieces, several at a time, in order. */
export async function * compressFrames (
  pieces: AsyncIterable<Piece>,
  options: CompressFramesOptions
): AsyncGenerator<Frame> {
  const { codec, level, basedLevels, signal, onDone } = options

  const compress = async ({ bytes: piece, region, dictionary, newBytes, maxLevel, frame }: Piece): Promise<Frame> => {
    const size = piece.byteLength
    // nothing else refers to a pooled buffer, so it may be transferred to a worker
    const alone = { level: region == null ? level : basedLevels[0], signal, transfer: BufferPool.isLent(piece) }
    const bytes = frame?.bytes ?? await (dictionary == null
      ? codec.compress(piece, alone)
      : compressAided(piece, { dictionary, newBytes, maxLevel }, codec, { levels: basedLevels, signal }))
    await frame?.checked

    // a codec may return its input as the frame: then the buffer is still in use
    if (bytes.buffer !== piece.buffer) {
      BufferPool.release(piece)
    } else {
      unmarkResult(bytes)
    }

    return { size, bytes, ...region == null ? {} : { region } }
  }

  yield * mapOrdered(pieces, async piece => {
    try {
      return await compress(piece)
    } finally {
      onDone?.(piece.bytes)
    }
  }, options)
}

export async function * reportFrames (
  frames: AsyncIterable<Frame>,
  options: ProgressOptions<AddFrameEvents>
): AsyncGenerator<Frame> {
  let number = 0

  for await (const frame of frames) {
    emitFrame(options, number++, frame)
    yield frame
  }
}

/** Report a frame, by its index in the file. */
export function emitFrame (options: ProgressOptions<AddFrameEvents>, index: number, { size, bytes }: Frame): void {
  emit(options, 'ipfsz:add:frame', { frame: index, size, length: bytes.byteLength })
}
