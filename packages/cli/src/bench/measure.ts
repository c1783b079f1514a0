import { expectedTime, leastFrames, measureFirst, timePerByte, warmUp } from './first-round.ts'
import { duration, runPass } from './pass.ts'
import { measureSlowLevels } from './slow-levels.ts'
import { summarize } from './summarize.ts'
import type { CodecLevel } from './codec-levels.ts'
import type { Run, RunOptions } from './first-round.ts'
import type { Measurement } from './summarize.ts'

/**
 * The share of the time for the first round, and until slow levels have compressed a few frames. In the rest, all but
 * the slow levels are measured again.
 */
const FIRST_ROUND = 0.3
const SLOW_LEVELS = 0.85
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

/** A codec level that there was no time for. */
export interface Unmeasured {
  codecLevel: CodecLevel
  /** How long a few frames would take, in milliseconds. */
  expected: number
}

export interface Measured {
  /** In the order of the codec levels. */
  measurements: Measurement[]
  unmeasured: Unmeasured[]
  /** How long measuring may have to take so that nothing is left out, in milliseconds. */
  needed: number
}

/**
 * Measures codec levels on whole frames, one after the other in rounds, and for not much longer than `time`: slow
 * levels are measured on fewer frames, or not at all.
 */
export async function measure (
  codecLevels: readonly CodecLevel[],
  frames: readonly Uint8Array[],
  options: MeasureOptions
): Promise<Measured> {
  const { now, time, width, onStart } = options
  const start = now()
  const end = start + time
  const runs: Run[] = []

  for (const codecLevel of codecLevels) {
    runs.push(await warmUp(codecLevel, frames, options))
  }

  // slow levels come last, and share the time that fast ones leave
  const order = runs.toSorted((a, b) => timePerByte(a, width) - timePerByte(b, width))

  for (const [i, run] of order.entries()) {
    const share = (end - now() - time * (1 - FIRST_ROUND)) / (order.length - i)
    await measureFirst(run, frames, share, options)
  }

  await measureSlowLevels(order, frames, end - time * (1 - SLOW_LEVELS), options)

  const unmeasured = runs.filter(isUnmeasured).map(run =>
    ({ codecLevel: run.codecLevel, expected: expectedTime(run, leastFrames(frames, width), width) }))
  const needed = unmeasured.reduce((sum, { expected }) => sum + expected, now() - start) / SLOW_LEVELS

  for (let round = 1; round < MAX_ROUNDS; round++) {
    for (const run of order) {
      if (isWorthAnother(run, end - now())) {
        onStart?.(run.codecLevel)
        run.passes.push(await runPass(run.codecLevel, run.frames, options))
      }
    }
  }

  const known = order.filter(run => !isUnmeasured(run))
  const measurements = runs.filter(run => !isUnmeasured(run)).map(run => summarize(run, known, frames))

  return { measurements, unmeasured, needed }
}

function isUnmeasured ({ passes }: Run): boolean {
  return passes.length === 0
}

function isWorthAnother ({ passes }: Run, left: number): boolean {
  const [first] = passes
  const spent = passes.reduce((sum, pass) => sum + duration(pass), 0)

  return first != null && duration(first) < left && spent < LONG_TIME && (passes.length < ROUNDS || spent < SHORT_TIME)
}
