import { isInPlace } from '../frames/compressed-file.ts'
import { isGain } from '../policy/policy.ts'
import { BoundedReader } from './bounded-reader.ts'
import type { FrameCodec } from '../frames/compress-frames.ts'
import type { Choice } from '../policy/compression.ts'
import type { Layout } from '../policy/layout.ts'
import type { ByteReader } from '../util/byte-reader.ts'

/** How much of a file has to shrink, so that its second frame is not compressed in vain: in 0.1 ms. */
const SAMPLE_SIZE = 16 * 1024

/** The second frame of a file, whose original bytes the reader returns next. */
export interface FrameAhead {
  /** Those bytes. */
  piece: Uint8Array
  frame: Promise<Uint8Array>
}

interface BegunFile {
  /** All that was read of the file. If that is not one frame, nothing is compressed ahead. */
  bytes: Uint8Array
  reader: ByteReader
  layout: Layout
}

/**
 * Compress the second frame of a file beside the first, which decides whether the file is compressed: until then, one
 * core would have nothing to do.
 *
 * @returns undefined if nothing follows, the file does not look as if it shrinks, or several frames decide
 */
export function compressAhead (
  { bytes, reader, layout: { frameSize, sampleSize } }: BegunFile,
  { codec, level }: Choice,
  signal?: AbortSignal | null
): Promise<FrameAhead | undefined> | undefined {
  const isOneFrame = bytes.byteLength === frameSize && sampleSize <= frameSize

  // other files keep the cores busy, and their memory is bounded; a worker would take the memory
  if (!isOneFrame || reader instanceof BoundedReader || !isInPlace(codec)) {
    return undefined
  }

  const compress = async (piece: Uint8Array): Promise<Uint8Array> => codec.compress(piece, { level, signal })
  const ahead = readAhead(bytes.subarray(0, SAMPLE_SIZE), reader, frameSize, compress)
  // it is awaited later, or never if the first frame fails
  ahead.catch(() => {})

  return ahead
}

async function readAhead (
  sample: Uint8Array,
  reader: ByteReader,
  frameSize: number,
  compress: (piece: Uint8Array) => Promise<Uint8Array>
): Promise<FrameAhead | undefined> {
  const { byteLength } = await compress(sample)

  if (!isGain(sample.byteLength, byteLength)) {
    return undefined
  }

  const piece = await reader.read(frameSize, size => new Uint8Array(size))

  if (piece.byteLength === 0) {
    return undefined
  }

  reader.unread(piece)
  const frame = compress(piece)
  frame.catch(() => {})

  return { piece, frame }
}

/** A codec that has compressed a piece already, which is the next that it is given, unless it is cut differently. */
export function codecAhead (codec: FrameCodec, ahead: FrameAhead): FrameCodec {
  let made: FrameAhead | undefined = ahead

  return {
    name: codec.name,
    code: codec.code,
    compress (bytes, options) {
      const frame = made?.piece === bytes ? made.frame : undefined
      made = undefined

      return frame ?? codec.compress(bytes, options)
    }
  }
}

/** Drop a frame that is not needed. Resolves when no thread reads its original bytes any more. */
export async function dropAhead (ahead: FrameAhead | undefined): Promise<void> {
  await ahead?.frame.catch(() => {})
}
