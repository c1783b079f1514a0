import { limitFrames, pickEvenly } from './limit-frames.ts'
import { duration, runPass } from './pass.ts'
import type { CodecLevel } from './codec-levels.ts'
import type { Pass, PassOptions } from './pass.ts'

/** The least bytes of a frame that are compressed, 64 KiB, if the frame has as many. */
const WARM_UP_SIZE = 64 * 1024
/** Warming up goes on with larger pieces while the next pass should take less than this, in milliseconds. */
const WARM_UP_TIME = 100
/** How many times larger the pieces of each next pass are. */
const GROWTH = 4
/** A mean of fewer frames says nothing about the others. */
const LEAST_FRAMES = 2

export interface RunOptions extends PassOptions {
  /** How many frames keep every core busy. */
  width: number
  /** Called before each measurement. */
  onStart?: (codecLevel: CodecLevel) => void
}

/** The measurements of one codec level so far. */
export interface Run {
  codecLevel: CodecLevel
  /** The frames that it was measured on, or the pieces of frames if it was only warmed up. */
  frames: readonly Uint8Array[]
  /** The times and sizes of whole frames. Empty if no whole frame was compressed. */
  passes: Pass[]
  /** The last pass before these. It tells how long whole frames may take, but not what they are compressed to. */
  warmUp: Pass
  /** The power of the size of a piece that the time per byte grows with. Undefined: only one size was compressed. */
  slowing?: number
}

/** Loads the codec, lets its code be optimised, and learns roughly how fast it is. */
export async function warmUp (
  codecLevel: CodecLevel,
  frames: readonly Uint8Array[],
  options: RunOptions
): Promise<Run> {
  const { width, onStart } = options
  const largest = largestOf(frames)
  let size = WARM_UP_SIZE
  let pieces = limitFrames(frames, size * width, width)

  onStart?.(codecLevel)
  await runPass(codecLevel, pieces, options)
  let pass = await runPass(codecLevel, pieces, options)

  while (size < largest && duration(pass) * GROWTH < WARM_UP_TIME) {
    size *= GROWTH
    pieces = limitFrames(frames, size * width, width)
    pass = await runPass(codecLevel, pieces, options)
  }

  // of a small file, that was all
  const passes = pieces.length === frames.length && pieces.every((piece, i) => piece === frames[i]) ? [pass] : []

  return { codecLevel, frames: pieces, passes, warmUp: pass }
}

/**
 * Measures as many whole frames as there is time for, or none. A piece of a frame says too little: a level that sees
 * far finds in a whole frame what repeats far apart, and one that does not sees no more than in the piece.
 *
 * @param share - the time for it, in milliseconds
 */
export async function measureFirst (
  run: Run,
  frames: readonly Uint8Array[],
  share: number,
  options: RunOptions
): Promise<void> {
  const { width } = options
  const least = leastFrames(frames, width)
  const count = Math.floor(frames.length * share / expectedTime(run, frames, width))
  const chosen = count > least.length ? pickEvenly(frames, count) : least

  if (chosen.length > (run.passes.length === 0 ? 0 : run.frames.length) &&
    expectedTime(run, chosen, width) <= share) {
    await measureOn(run, chosen, options)
  }
}

/** Measures a level on these frames, and forgets what was measured on others. */
export async function measureOn (run: Run, frames: readonly Uint8Array[], options: RunOptions): Promise<void> {
  options.onStart?.(run.codecLevel)
  run.passes = [await runPass(run.codecLevel, frames, options)]
  run.frames = frames
}

/** The fewest frames that tell something: as many as keep every core busy, as that takes as long as one. */
export function leastFrames (frames: readonly Uint8Array[], width: number): Uint8Array[] {
  return pickEvenly(frames, Math.max(LEAST_FRAMES, width))
}

/** How long it may take to compress and decompress these frames, by the last pass, in milliseconds. */
export function expectedTime (run: Run, frames: readonly Uint8Array[], width: number): number {
  const [size, known] = [largestOf(frames), largestOf(run.frames)]
  const factor = run.slowing == null ? slowness(size) / slowness(known) : (size / known) ** run.slowing

  return timePerByte(run, width) * longestThread(frames, width) * factor
}

/** How long a thread took for each byte in the last pass, in milliseconds. */
export function timePerByte ({ passes, warmUp, frames }: Run, width: number): number {
  return duration(passes.at(0) ?? warmUp) / longestThread(frames, width)
}

/** The bytes of the thread that gets most of them. */
function longestThread (frames: readonly Uint8Array[], width: number): number {
  const total = frames.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const largest = largestOf(frames)

  return Math.ceil(total / largest / width) * largest
}

/** Slow levels get slower as pieces grow: zstd 19 takes three times as long per byte for 4 MiB as for 64 KiB. */
function slowness (bytes: number): number {
  return 1 + Math.max(0, Math.log2(bytes / WARM_UP_SIZE)) / 3
}

export function largestOf (frames: readonly Uint8Array[]): number {
  return frames.reduce((most, { byteLength }) => Math.max(most, byteLength), 1)
}
