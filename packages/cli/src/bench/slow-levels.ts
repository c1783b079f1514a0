import { expectedTime, largestOf, leastFrames, measureOn, timePerByte } from './first-round.ts'
import { limitFrames } from './limit-frames.ts'
import { runPass } from './pass.ts'
import type { Run, RunOptions } from './first-round.ts'

/** Each piece is this many times larger than the last one. */
const GROWTH = 4
/** A level that should take less than this needs no piece, in milliseconds. */
const SHORT_TIME = 500

/**
 * Measures the levels that the first round had no time for on a few whole frames, the faster ones first: then most of
 * them can be measured. Those that there is no time for stay unmeasured.
 *
 * @param end - when it must be over, on the clock of the options
 */
export async function measureSlowLevels (
  runs: readonly Run[],
  frames: readonly Uint8Array[],
  end: number,
  options: RunOptions
): Promise<void> {
  const { now, width } = options
  const chosen = leastFrames(frames, width)
  const time = (run: Run): number => expectedTime(run, chosen, width)
  const slow = runs.filter(({ passes }) => passes.length === 0)

  for (const run of slow.toSorted((a, b) => time(a) - time(b))) {
    await probe(run, chosen, end, options)

    if (now() + time(run) <= end) {
      await measureOn(run, chosen, options)
    }
  }
}

/**
 * Compresses a larger piece, to learn how long whole frames take, then others until there is time for whole frames or
 * for no larger piece. By what brotli 11 takes for 64 KiB, it would take six times as long for 4 MiB as it does.
 */
async function probe (run: Run, frames: readonly Uint8Array[], end: number, options: RunOptions): Promise<void> {
  const { now, width, onStart } = options

  const isSure = (): boolean => {
    const time = expectedTime(run, frames, width)

    return time <= SHORT_TIME || run.slowing != null && now() + time <= end
  }

  while (!isSure()) {
    const before = { size: largestOf(run.frames), time: timePerByte(run, width) }
    const pieces = limitFrames(frames, before.size * GROWTH * width, width)

    if (largestOf(pieces) <= before.size || largestOf(pieces) >= largestOf(frames) ||
      now() + expectedTime(run, pieces, width) > end) {
      return
    }

    onStart?.(run.codecLevel)
    run.warmUp = await runPass(run.codecLevel, pieces, options)
    run.frames = pieces
    run.slowing = slowingSince(before, { size: largestOf(pieces), time: timePerByte(run, width) })
  }
}

/** The power of the size of a piece that the time per byte grows with, by two sizes. From 0, as fast, to 1. */
function slowingSince (before: { size: number, time: number }, after: typeof before): number {
  return Math.min(1, Math.max(0, Math.log(after.time / before.time) / Math.log(after.size / before.size)))
}
