import { expectedTime, largestOf, leastFrames, measureOn } from './first-round.ts'
import { limitFrames } from './limit-frames.ts'
import { runPass } from './pass.ts'
import type { Run, RunOptions } from './first-round.ts'

/** A piece that is this many times smaller than a frame tells well enough how long the frame takes. */
const PROBE = 8
/** A level that should take less than this needs no such piece, in milliseconds. */
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

/** Compresses larger pieces, to learn how long whole frames take. */
async function probe (run: Run, frames: readonly Uint8Array[], end: number, options: RunOptions): Promise<void> {
  const { now, width, onStart } = options
  const size = largestOf(frames) / PROBE
  const pieces = limitFrames(frames, size * width, width)

  if (largestOf(run.frames) < size && expectedTime(run, frames, width) > SHORT_TIME &&
    now() + expectedTime(run, pieces, width) <= end) {
    onStart?.(run.codecLevel)
    run.warmUp = await runPass(run.codecLevel, pieces, options)
    run.frames = pieces
  }
}
