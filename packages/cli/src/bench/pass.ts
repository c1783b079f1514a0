import { yieldToEventLoop } from '@ipfsz/utils/event-loop'
import type { CodecLevel } from './codec-levels.ts'

/** Thrown when a codec does not decompress to the bytes that it compressed. */
export class DifferenceError extends Error {
  static override readonly name = 'DifferenceError'
  override readonly name = 'DifferenceError'
  readonly label: string

  constructor (label: string, options?: ErrorOptions) {
    super(`${label} does not decompress to the original bytes. Use another codec, and please report this`, options)
    this.label = label
  }
}

export interface PassOptions {
  /** How many frames are processed at a time. */
  concurrency: number
  signal: AbortSignal
  /** A clock, in milliseconds. */
  now: () => number
}

/** The size and times of compressing some frames and decompressing them again. */
export interface Pass {
  /** Original bytes. */
  size: number
  /** Compressed bytes. */
  stored: number
  /** Compressed bytes of each frame. */
  storedSizes: readonly number[]
  /** Milliseconds to compress all frames. */
  compress: number
  /** Milliseconds to decompress all frames. */
  decompress: number
}

/**
 * Compresses frames and decompresses them again, several at a time.
 *
 * @throws {DifferenceError} the decompressed bytes differ
 */
export async function runPass (
  { codec, level, label }: CodecLevel,
  frames: readonly Uint8Array[],
  options: PassOptions
): Promise<Pass> {
  const { now, signal } = options
  const start = now()
  const compressed = await mapAll(frames, frame => codec.compress(frame, { level, signal }), options)
  const middle = now()
  const back = await mapAll(compressed, async (frame, i) => {
    try {
      return await codec.decompress(frame, { size: frames[i].byteLength, signal })
    } catch (err) {
      throw err instanceof Error && err.name === 'CorruptFrameError' ? new DifferenceError(label, { cause: err }) : err
    }
  }, options)
  const end = now()

  if (back.some((bytes, i) => Buffer.compare(bytes, frames[i]) !== 0)) {
    throw new DifferenceError(label)
  }

  return {
    size: sizeOf(frames),
    stored: sizeOf(compressed),
    storedSizes: compressed.map(frame => frame.byteLength),
    compress: middle - start,
    decompress: end - middle
  }
}

/** Milliseconds to compress and decompress. */
export function duration ({ compress, decompress }: Pass): number {
  return nonZero(compress) + nonZero(decompress)
}

/** At least a microsecond: a clock may measure 0. */
export function nonZero (milliseconds: number): number {
  return Math.max(milliseconds, 0.001)
}

export function sizeOf (frames: readonly Uint8Array[]): number {
  return frames.reduce((sum, frame) => sum + frame.byteLength, 0)
}

async function mapAll<T, R> (
  values: readonly T[],
  map: (value: T, index: number) => R | Promise<R>,
  { concurrency, signal }: PassOptions
): Promise<R[]> {
  const results: R[] = []
  let next = 0

  const work = async (): Promise<void> => {
    while (next < values.length) {
      const index = next++
      results[index] = await map(values[index], index)
      // a synchronous codec blocks the event loop: let it see Ctrl-C
      await yieldToEventLoop()
      signal.throwIfAborted()
    }
  }

  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, work))

  return results
}
