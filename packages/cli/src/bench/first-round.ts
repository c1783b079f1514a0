import { limitFrames } from './limit-frames.ts'
import { duration, runPass, sizeOf } from './pass.ts'
import type { CodecLevel } from './codec-levels.ts'
import type { Pass, PassOptions } from './pass.ts'

/** The least bytes of a frame that are measured, 64 KiB, if the frame has as many. */
const WARM_UP_SIZE = 64 * 1024
/** Warming up goes on with larger pieces while the next pass should take less than this, in milliseconds. */
const WARM_UP_TIME = 100

/** How many times larger each next step is. */
const GROWTH = 4
/** With time for this many times all bytes, all are measured at once instead of in steps. */
const AMPLE = 3
/** A step must make the measurement at least this many times larger. */
const WORTH_A_STEP = 1.5

export interface RunOptions extends PassOptions {
  /** How many frames keep every core busy. */
  width: number
  /** Called before each measurement. */
  onStart?: (codecLevel: CodecLevel) => void
}

/** The measurements of one codec level so far. */
export interface Run {
  codecLevel: CodecLevel
  /** The frames it is measured on. */
  frames: readonly Uint8Array[]
  /** Empty before the first round, and after it if there was time only for the warm-up. */
  passes: Pass[]
  warmUp: Pass
  /** What whole frames are compressed to, if it was measured on less than those. By the index of the frame. */
  whole?: ReadonlyMap<number, number>
}

/** Loads the codec, lets its code be optimised, and learns roughly how fast it is. */
export async function warmUp (
  codecLevel: CodecLevel,
  frames: readonly Uint8Array[],
  options: RunOptions
): Promise<Run> {
  const { width, onStart } = options
  const largest = Math.max(...frames.map(frame => frame.byteLength))
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

  return { codecLevel, frames: pieces, passes: [], warmUp: pass }
}

/**
 * Measures as many bytes as there is time for, and more than before if it was measured before. Slow levels get slower
 * as pieces grow: zstd 19 takes three times as long per byte for 4 MiB as for 64 KiB. So if time is short the size
 * grows in steps, and the last step counts.
 *
 * @param share - the time for it, in milliseconds
 */
export async function measureFirst (
  run: Run,
  frames: readonly Uint8Array[],
  share: number,
  options: RunOptions
): Promise<void> {
  const { now, width, onStart } = options
  const end = now() + share
  const total = sizeOf(frames)

  for (let last = run.passes.at(0) ?? run.warmUp; ;) {
    const bytes = Math.max(0, (end - now()) / duration(last) * last.size)
    const wanted = bytes > total * AMPLE ? total : Math.min(bytes, last.size * GROWTH)
    const pieces = limitFrames(frames, wanted, width)
    const size = sizeOf(pieces)
    const isBetter = run.passes.length === 0
      ? size >= last.size
      : size > last.size && (size === total || size > last.size * WORTH_A_STEP)

    // no time for a larger step: the last one counts, even if it is the warm-up
    if (!isBetter || size > bytes) {
      return
    }

    onStart?.(run.codecLevel)
    last = await runPass(run.codecLevel, pieces, options)
    run.frames = pieces
    run.passes = [last]
  }
}
