import { atLeast, duration, sizeOf } from './pass.ts'
import type { Candidate } from './codec-levels.ts'
import type { Run } from './first-round.ts'

/** What a measurement is corrected by takes less than this, in milliseconds. */
const REFERENCE_TIME = 500

/** How a codec did at one level. */
export interface Measurement {
  candidate: Candidate
  /** Original bytes that it was measured on. */
  size: number
  /** Compressed bytes of those. */
  stored: number
  /** stored / size, corrected where it was measured on less than there is. */
  ratio: number
  /** Original bytes a second. */
  compress: number
  /** Original bytes a second. */
  decompress: number
  /** How often it was measured; the speeds are the medians. */
  rounds: number
}

/**
 * What a run comes to.
 *
 * @param order - all runs, the fastest first
 * @param frames - all that there was to measure on
 */
export async function summarize (run: Run, order: readonly Run[], frames: readonly Uint8Array[], signal: AbortSignal): Promise<Measurement> {
  const { candidate, passes, warmUp } = run
  const counted = passes.length === 0 ? [warmUp] : passes
  const [{ size, stored }] = counted

  return {
    candidate,
    size,
    stored,
    ratio: stored / size * await correction(run, order, sizeOf(frames), signal),
    compress: size / median(counted.map(pass => atLeast(pass.compress))) * 1000,
    decompress: size / median(counted.map(pass => atLeast(pass.decompress))) * 1000,
    rounds: counted.length
  }
}

/**
 * How much worse or better all frames compress than the parts that a run was
 * measured on, told by a level that there was time for on all of them. Else a level
 * that got the worst part of a file, or short pieces of it, would look bad.
 */
async function correction (run: Run, order: readonly Run[], total: number, signal: AbortSignal): Promise<number> {
  const whole = order.filter(({ passes: [pass] }) => pass?.size === total)
  const parts = sizeOf(run.frames)
  // the level of the same codec that is nearest to it and quick enough, or what is fastest
  const reference = whole.findLast(({ candidate, passes: [pass] }) =>
    candidate.codec === run.candidate.codec && duration(pass) * parts / total < REFERENCE_TIME) ?? whole[0]

  if (reference == null || whole.includes(run)) {
    return 1
  }

  const { candidate: { codec, level }, passes: [{ size, stored }] } = reference
  const compressed = await Promise.all(run.frames.map(async frame => codec.compress(frame, { level, signal })))

  return (stored / size) / (sizeOf(compressed) / parts)
}

function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1

  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
