import { measureFirst, warmUp } from './first-round.ts'
import { duration, runPass } from './pass.ts'
import { summarize } from './summarize.ts'
import { measureWholeFrames } from './whole-frames.ts'
import type { CodecLevel } from './codec-levels.ts'
import type { Run, RunOptions } from './first-round.ts'
import type { Measurement } from './summarize.ts'

/**
 * The share of the time for the first round, and until slow levels have compressed whole frames. In the rest, all but
 * the slow levels are measured again.
 */
const FIRST_ROUND = 0.4
const WHOLE_FRAMES = 0.85
const ROUNDS = 3
/** Rounds go on up to this many while those of a level took less than `SHORT_TIME` in all, as with small files. */
const MAX_ROUNDS = 25
/** In milliseconds. */
const SHORT_TIME = 100
/** A level that has taken this long in all is not measured again, in milliseconds. */
const LONG_TIME = 2000

export interface MeasureOptions extends RunOptions {
  /** How long measuring may take, in milliseconds. */
  time: number
}

/**
 * Measures codec levels on the frames, one after the other in rounds, and for not much longer than
 * `time`: slow levels are measured on less of the frames.
 *
 * @returns measurements in the order of `codecLevels`
 */
export async function measure (
  codecLevels: readonly CodecLevel[],
  frames: readonly Uint8Array[],
  options: MeasureOptions
): Promise<Measurement[]> {
  const { now, time, signal, onStart } = options
  const end = now() + time
  const runs: Run[] = []

  for (const codecLevel of codecLevels) {
    runs.push(await warmUp(codecLevel, frames, options))
  }

  // slow levels come last, and share the time that fast ones leave
  const order = runs.toSorted((a, b) => timePerByte(a) - timePerByte(b))

  for (const [i, run] of order.entries()) {
    const share = (end - now() - time * (1 - FIRST_ROUND)) / (order.length - i)
    await measureFirst(run, frames, share, options)
  }

  await measureWholeFrames(order, frames, end - time * (1 - WHOLE_FRAMES), options)

  for (let round = 1; round < MAX_ROUNDS; round++) {
    for (const run of order) {
      if (isWorthAnother(run, end - now())) {
        onStart?.(run.codecLevel)
        run.passes.push(await runPass(run.codecLevel, run.frames, options))
      }
    }
  }

  const measurements: Measurement[] = []

  for (const run of runs) {
    measurements.push(await summarize(run, order, frames, signal))
  }

  return measurements
}

/** By the warm-up, in milliseconds. */
function timePerByte ({ warmUp }: Run): number {
  return duration(warmUp) / warmUp.size
}

function isWorthAnother ({ passes }: Run, left: number): boolean {
  const [first] = passes
  const spent = passes.reduce((sum, pass) => sum + duration(pass), 0)

  return first != null && duration(first) < left && spent < LONG_TIME && (passes.length < ROUNDS || spent < SHORT_TIME)
}
