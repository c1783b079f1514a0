import { cut } from './cut.ts'
import { duration, runPass, sizeOf } from './pass.ts'
import type { Candidate } from './codec-levels.ts'
import type { Pass, PassOptions } from './pass.ts'

/** Nothing is measured on less of a frame than this, where it has that much, 64 KiB. */
const WARM_UP_SIZE = 64 * 1024
/** Warming up goes on with larger pieces while the next ones take less than this, in milliseconds. */
const WARM_UP_TIME = 100

/** How many times larger the next step is. */
const GROWTH = 4
/** With time for so many times all bytes they are measured at once, not in steps. */
const AMPLE = 3
/** A step that makes a measurement less than this much larger is not taken. */
const WORTH_A_STEP = 1.5

export interface RunOptions extends PassOptions {
  /** How many frames keep every core busy. */
  width: number
  /** Called with what is measured next. */
  onStart?: (candidate: Candidate) => void
}

/** How far the measuring of a candidate is. */
export interface Run {
  candidate: Candidate
  /** What it is measured on. */
  frames: readonly Uint8Array[]
  /** Empty until the first round, and after it where the warm-up is all that there was time for. */
  passes: Pass[]
  warmUp: Pass
}

/** Load what runs the codec and let it be optimised, and learn about how fast it is. */
export async function warmUp (candidate: Candidate, frames: readonly Uint8Array[], options: RunOptions): Promise<Run> {
  const { width, onStart } = options
  const largest = Math.max(...frames.map(frame => frame.byteLength))
  let size = WARM_UP_SIZE
  let pieces = cut(frames, size * width, width)

  onStart?.(candidate)
  await runPass(candidate, pieces, options)
  let pass = await runPass(candidate, pieces, options)

  while (size < largest && duration(pass) * GROWTH < WARM_UP_TIME) {
    size *= GROWTH
    pieces = cut(frames, size * width, width)
    pass = await runPass(candidate, pieces, options)
  }

  return { candidate, frames: pieces, passes: [], warmUp: pass }
}

/**
 * Measure on as many bytes as there is time for. Slow levels get slower as pieces
 * grow (zstd 19 takes three times as long for a byte of 4 MiB as for one of
 * 64 KiB), so where it is close the size grows in steps, and the last one counts.
 *
 * @param share - the time for it, in milliseconds
 */
export async function measureFirst (run: Run, frames: readonly Uint8Array[], share: number, options: RunOptions): Promise<void> {
  const { now, width, onStart } = options
  const end = now() + share
  const total = sizeOf(frames)

  for (let last = run.warmUp; ;) {
    const bytes = Math.max(0, (end - now()) / duration(last) * last.size)
    const pieces = cut(frames, bytes > total * AMPLE ? total : Math.min(bytes, last.size * GROWTH), width)
    const size = sizeOf(pieces)
    const isBetter = run.passes.length === 0
      ? size >= last.size
      : size > last.size && (size === total || size > last.size * WORTH_A_STEP)

    // without time for more, the last step is what counts, and be it the warm-up
    if (!isBetter || size > bytes) {
      return
    }

    onStart?.(run.candidate)
    last = await runPass(run.candidate, pieces, options)
    run.frames = pieces
    run.passes = [last]
  }
}
