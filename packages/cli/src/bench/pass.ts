import type { Candidate } from './codec-levels.ts'

/** A codec does not give back what it was given. */
export class DifferenceError extends Error {
  static override readonly name = 'DifferenceError'
  override readonly name = 'DifferenceError'
  readonly label: string

  constructor (label: string, options?: ErrorOptions) {
    super(`${label} does not give back what it was given: use another codec, and please report this`, options)
    this.label = label
  }
}

export interface PassOptions {
  /** How many frames are worked on at one time. */
  concurrency: number
  signal: AbortSignal
  /** A clock, in milliseconds. */
  now: () => number
}

/** What compressing some frames and decompressing them again took. */
export interface Pass {
  /** Original bytes. */
  size: number
  /** Compressed bytes. */
  stored: number
  /** Milliseconds to compress all. */
  compress: number
  /** Milliseconds to decompress all. */
  decompress: number
}

/**
 * Compress frames and decompress them again, several at a time.
 *
 * @throws {DifferenceError} what comes back differs
 */
export async function runPass ({ codec, level, label }: Candidate, frames: readonly Uint8Array[], options: PassOptions): Promise<Pass> {
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
    compress: middle - start,
    decompress: end - middle
  }
}

/** Milliseconds of both ways. */
export function duration ({ compress, decompress }: Pass): number {
  return atLeast(compress) + atLeast(decompress)
}

/** A microsecond: a clock may not see anything shorter. */
export function atLeast (milliseconds: number): number {
  return Math.max(milliseconds, 0.001)
}

export function sizeOf (frames: readonly Uint8Array[]): number {
  return frames.reduce((sum, frame) => sum + frame.byteLength, 0)
}

async function mapAll<T, R> (values: readonly T[], map: (value: T, index: number) => R | Promise<R>, { concurrency, signal }: PassOptions): Promise<R[]> {
  const results: R[] = []
  let next = 0

  const work = async (): Promise<void> => {
    while (next < values.length) {
      const index = next++
      results[index] = await map(values[index], index)
      // a codec in JavaScript leaves no turn to Ctrl-C
      await new Promise(resolve => { setImmediate(resolve) })
      signal.throwIfAborted()
    }
  }

  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, work))

  return results
}
