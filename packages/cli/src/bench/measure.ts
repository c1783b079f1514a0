import { NamedError } from '@ipfsz/utils/named-error'
import { yieldToEventLoop } from '@ipfsz/utils/event-loop'
import type { CodecLevel } from './codec-levels.ts'

/** Thrown when a codec does not decompress to the bytes that it compressed. */
export class DifferenceError extends NamedError {
  static override readonly name = 'DifferenceError'
  readonly label: string

  constructor (label: string, options?: ErrorOptions) {
    super(`${label} does not decompress to the original bytes. Use another codec, and please report this`, options)
    this.label = label
  }
}

/** What is compressed before anything is measured, in bytes: the codec is loaded then, and its code optimised. */
const WARM_UP_SIZE = 64 * 1024
/** How often. The fastest of them tells how long a frame may take. */
const WARM_UPS = 3
/** Small samples are measured again for this long, in milliseconds. */
const SHORT_TIME = 100

export interface MeasureOptions {
  /** When to end, on the clock of `now`. A level that would take longer for one frame is not measured. */
  end: number
  /** When to begin no more frames. */
  share: number
  /** How many frames are processed at a time. */
  concurrency: number
  signal: AbortSignal
  /** A clock, in milliseconds. */
  now: () => number
}

/** The figures of one codec level. */
export interface Measurement {
  /** The original bytes that it was measured on, 0 if there was no time for it. */
  measured: number
  /** The same bytes, compressed. */
  stored: number
  /** Original bytes per second. */
  compress: number
  /** Original bytes per second. */
  decompress: number
}

/** Bytes and milliseconds of compressing some frames and decompressing them again. */
interface Pass {
  size: number
  stored: number
  compress: number
  decompress: number
}

/**
 * Measures a codec level on frames, some at a time, until it has measured all or its share of the time is over.
 *
 * @throws {DifferenceError} the decompressed bytes differ
 */
export async function measure (
  codecLevel: CodecLevel,
  frames: readonly Uint8Array[],
  options: MeasureOptions
): Promise<Measurement> {
  const { end, share, concurrency, now } = options
  const piece = frames[0].subarray(0, WARM_UP_SIZE)
  const warmUps = []

  for (let i = 0; i < WARM_UPS; i++) {
    warmUps.push(await runPass(codecLevel, [piece], options))
  }

  const start = now()
  const fastest = Math.min(...warmUps.map(({ compress, decompress }) => compress + decompress))

  if (start + fastest * frames[0].byteLength / piece.byteLength > end) {
    return { measured: 0, stored: 0, compress: 0, decompress: 0 }
  }

  const batches = Array.from({ length: Math.ceil(frames.length / concurrency) }, (_, i) =>
    frames.slice(i * concurrency, (i + 1) * concurrency))
  const passes: Pass[] = []

  do {
    passes.push(await runPass(codecLevel, batches[passes.length % batches.length], options))
  } while (now() < share && (passes.length < batches.length || now() < start + SHORT_TIME))

  // later rounds only make the speeds more certain
  const first = passes.slice(0, batches.length)

  return {
    measured: sum(first, ({ size }) => size),
    stored: sum(first, ({ stored }) => stored),
    compress: speed(passes, ({ compress }) => compress),
    decompress: speed(passes, ({ decompress }) => decompress)
  }
}

async function runPass (
  { codec, level, label }: CodecLevel,
  frames: readonly Uint8Array[],
  { now, signal }: MeasureOptions
): Promise<Pass> {
  // a synchronous codec blocks the event loop: let it see Ctrl-C
  await yieldToEventLoop()
  signal.throwIfAborted()

  const start = now()
  const compressed = await Promise.all(frames.map(async frame => codec.compress(frame, { level, signal })))
  const middle = now()
  const back = await Promise.all(compressed.map(async (frame, i) => {
    try {
      return await codec.decompress(frame, { size: frames[i].byteLength, signal })
    } catch (err) {
      throw err instanceof Error && err.name === 'CorruptFrameError' ? new DifferenceError(label, { cause: err }) : err
    }
  }))
  const end = now()

  if (back.some((bytes, i) => Buffer.compare(bytes, frames[i]) !== 0)) {
    throw new DifferenceError(label)
  }

  return { size: sizeOf(frames), stored: sizeOf(compressed), compress: middle - start, decompress: end - middle }
}

/** Original bytes per second. A clock may measure 0. */
function speed (passes: readonly Pass[], time: (pass: Pass) => number): number {
  return Math.round(sum(passes, ({ size }) => size) / Math.max(sum(passes, time), 0.001) * 1000)
}

export function sizeOf (frames: readonly Uint8Array[]): number {
  return sum(frames, ({ byteLength }) => byteLength)
}

function sum<T> (values: readonly T[], measure: (value: T) => number): number {
  return values.reduce((sum, value) => sum + measure(value), 0)
}
