import { duration, nonZero, sizeOf } from './pass.ts'
import type { CodecLevel } from './codec-levels.ts'
import type { Run } from './first-round.ts'

/** The reference that a ratio is corrected by must take less than this, in milliseconds. */
const REFERENCE_TIME = 500

/** The figures of one codec level. */
export interface Measurement {
  codecLevel: CodecLevel
  /** The original bytes that were measured. */
  size: number
  /** The same bytes, compressed. */
  stored: number
  /** stored / size, corrected if less than the whole sample was measured. */
  ratio: number
  /** Original bytes per second. */
  compress: number
  /** Original bytes per second. */
  decompress: number
  /** How often it was measured. The speeds are medians. */
  rounds: number
}

/**
 * Summarizes the passes of a run.
 *
 * @param order - all runs, the fastest first
 * @param frames - all frames of the sample
 */
export async function summarize (
  run: Run,
  order: readonly Run[],
  frames: readonly Uint8Array[],
  signal: AbortSignal
): Promise<Measurement> {
  const { codecLevel, passes, warmUp } = run
  const counted = passes.length === 0 ? [warmUp] : passes
  const [{ size, stored }] = counted

  return {
    codecLevel,
    size,
    stored,
    ratio: stored / size * await correction(run, order, sizeOf(frames), signal),
    compress: size / median(counted.map(pass => nonZero(pass.compress))) * 1000,
    decompress: size / median(counted.map(pass => nonZero(pass.decompress))) * 1000,
    rounds: counted.length
  }
}

/**
 * How much better or worse the whole sample compresses than the part that a run was measured on,
 * judged by a level that was measured on all of it. Without this, a level that was measured on the
 * worst part of a file, or on short pieces, would look bad.
 */
async function correction (run: Run, order: readonly Run[], total: number, signal: AbortSignal): Promise<number> {
  const whole = order.filter(({ passes: [pass] }) => pass?.size === total)
  const parts = sizeOf(run.frames)
  // the nearest level of the same codec that is quick enough, else the fastest level of all
  const reference = whole.findLast(({ codecLevel, passes: [pass] }) =>
    codecLevel.codec === run.codecLevel.codec && duration(pass) * parts / total < REFERENCE_TIME) ?? whole[0]

  if (reference == null || whole.includes(run)) {
    return 1
  }

  const { codecLevel: { codec, level }, passes: [{ size, stored }] } = reference
  const compressed = await Promise.all(run.frames.map(async frame => codec.compress(frame, { level, signal })))

  return (stored / size) / (sizeOf(compressed) / parts)
}

function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1

  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
