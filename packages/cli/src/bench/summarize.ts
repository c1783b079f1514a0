import { marginOf } from './margin.ts'
import { nonZero } from './pass.ts'
import type { CodecLevel } from './codec-levels.ts'
import type { Run } from './first-round.ts'

/** The figures of one codec level. */
export interface Measurement {
  codecLevel: CodecLevel
  /** The original bytes that it was measured on. */
  size: number
  /** The same bytes, compressed. */
  stored: number
  /** stored / size, corrected if not all frames of the sample were measured. */
  ratio: number
  /**
   * How far the ratio may be from that of the whole sample, as a part of it, in 95 of 100 cases. Undefined if nobody
   * can tell.
   */
  margin: number | undefined
  /** The ratios of the frames that were measured. */
  frameRatios: readonly number[]
  /** Original bytes per second. */
  compress: number
  /** Original bytes per second. */
  decompress: number
  /** How often it was measured. The speeds are medians. */
  rounds: number
}

/**
 * Summarizes the passes of a run over whole frames. If those are not all, a level that knows all tells how the others
 * compress, compared with these.
 *
 * @param order - all runs that were measured, the fastest first
 * @param frames - all frames of the sample
 */
export function summarize (run: Run, order: readonly Run[], frames: readonly Uint8Array[]): Measurement {
  const { codecLevel, passes } = run
  const [{ size, stored }] = passes
  const frameRatios = run.frames.map((frame, i) => passes[0].storedSizes[i] / frame.byteLength)

  return {
    codecLevel,
    size,
    stored,
    frameRatios,
    ...estimateSample(run, frameRatios, order, frames),
    compress: size / median(passes.map(pass => nonZero(pass.compress))) * 1000,
    decompress: size / median(passes.map(pass => nonZero(pass.decompress))) * 1000,
    rounds: passes.length
  }
}

/** The ratio of all frames of the sample, and how sure it is. */
function estimateSample (
  { codecLevel: { codec }, frames: measured, passes: [{ size, stored }] }: Run,
  frameRatios: readonly number[],
  order: readonly Run[],
  frames: readonly Uint8Array[]
): Pick<Measurement, 'ratio' | 'margin'> {
  if (measured.length === frames.length) {
    return { ratio: stored / size, margin: 0 }
  }

  const whole = order.filter(other => other.frames.length === frames.length)
  const reference = whole.findLast(({ codecLevel }) => codecLevel.codec === codec) ?? whole.at(0)
  const relative = frameRatios.map((ratio, i) => ratio / ratioOn([measured[i]], reference))

  return {
    ratio: stored / size * ratioOn(frames, reference) / ratioOn(measured, reference),
    margin: marginOf(relative, measured.length / frames.length)
  }
}

/** The ratio of some frames with a level that knows all of them, or 1 without one. */
function ratioOn (frames: readonly Uint8Array[], reference: Run | undefined): number {
  if (reference == null) {
    return 1
  }

  const { frames: known, passes: [{ storedSizes }] } = reference

  return sum(frames.map(frame => storedSizes[known.indexOf(frame)])) / sum(frames.map(({ byteLength }) => byteLength))
}

function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1

  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function sum (values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
