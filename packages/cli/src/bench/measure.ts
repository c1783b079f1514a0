import { measureFirst, warmUp } from './first-round.ts'
import { duration, runPass } from './pass.ts'
import { summarize } from './summarize.ts'
import type { Candidate } from './codec-levels.ts'
import type { Run, RunOptions } from './first-round.ts'
import type { Measurement } from './summarize.ts'

/** The part of the time in which everything is measured once. In the rest of it all but the slow is measured again. */
const FIRST_ROUND = 0.7
const ROUNDS = 3
/** Rounds go on for a small file, up to this many, while all of them take less than `SHORT`. */
const MAX_ROUNDS = 25
const SHORT = 100
/** What took so long in all is not measured again, in milliseconds. */
const LONG = 2000

export interface MeasureOptions extends RunOptions {
  /** How long measuring may take, in milliseconds. */
  time: number
}

/**
 * Measure each candidate on the frames, in turns, and never for much longer than
 * there is time: what is too slow for that is measured on less of them.
 */
export async function measure (candidates: readonly Candidate[], frames: readonly Uint8Array[], options: MeasureOptions): Promise<Measurement[]> {
  const { now, time, signal, onStart } = options
  const end = now() + time
  const runs: Run[] = []

  for (const candidate of candidates) {
    runs.push(await warmUp(candidate, frames, options))
  }

  // the slow ones come last, and share what the fast ones leave
  const order = runs.toSorted((a, b) => duration(a.warmUp) / a.warmUp.size - duration(b.warmUp) / b.warmUp.size)

  for (const [i, run] of order.entries()) {
    await measureFirst(run, frames, (end - now() - time * (1 - FIRST_ROUND)) / (order.length - i), options)
  }

  for (let round = 1; round < MAX_ROUNDS; round++) {
    for (const run of order) {
      if (isWorthAnother(run, end - now())) {
        onStart?.(run.candidate)
        run.passes.push(await runPass(run.candidate, run.frames, options))
      }
    }
  }

  const measurements: Measurement[] = []

  for (const run of runs) {
    measurements.push(await summarize(run, order, frames, signal))
  }

  return measurements
}

function isWorthAnother ({ passes }: Run, left: number): boolean {
  const [first] = passes
  const spent = passes.reduce((sum, pass) => sum + duration(pass), 0)

  return first != null && duration(first) < left && spent < LONG && (passes.length < ROUNDS || spent < SHORT)
}
