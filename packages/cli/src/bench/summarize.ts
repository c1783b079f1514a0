import { marginOf } from './margin.ts'
import { duration, nonZero, sizeOf } from './pass.ts'
import { frameSizes, lowerRatio } from './whole-frames.ts'
import type { CodecLevel } from './codec-levels.ts'
import type { Run } from './first-round.ts'

/** The reference that a ratio is corrected by must take less than this, in milliseconds. */
const REFERENCE_TIME = 500

/** The figures of one codec level. */
export interface Measurement {
  codecLevel: CodecLevel
  /** The original bytes that the ratio was measured on. */
  size: number
  /** The same bytes, compressed. */
  stored: number
  /** stored / size, corrected if less than the whole sample was measured. */
  ratio: number
  /** Whether only pieces of frames were measured: the ratio may be far from that of whole frames. */
  rough: boolean
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
  const [{ size }] = counted

  return {
    codecLevel,
    ...await ratioOf(run, order, frames, signal),
    compress: size / median(counted.map(pass => nonZero(pass.compress))) * 1000,
    decompress: size / median(counted.map(pass => nonZero(pass.decompress))) * 1000,
    rounds: counted.length
  }
}

type Ratio = Pick<Measurement, 'size' | 'stored' | 'ratio' | 'rough' | 'margin' | 'frameRatios'>

async function ratioOf (
  run: Run,
  order: readonly Run[],
  frames: readonly Uint8Array[],
  signal: AbortSignal
): Promise<Ratio> {
  const known = knownRatio(run, order, frames)

  if (known != null) {
    return known
  }

  const { size, stored } = run.passes.at(0) ?? run.warmUp
  const corrected = stored / size * await correction(run, order, frames, signal)
  // a higher level of a codec seldom does worse than a lower one
  const ratio = Math.min(corrected, lowerRatio(run, order, frames))

  return { size, stored, ratio, rough: true, margin: undefined, frameRatios: [] }
}

/**
 * The ratio of a run that was measured on whole frames. If those are not all, it is judged by a level that knows all
 * how the others compress, compared with these.
 */
function knownRatio (run: Run, order: readonly Run[], frames: readonly Uint8Array[]): Ratio | undefined {
  const sizes = frameSizes(run, frames)

  if (sizes == null) {
    return undefined
  }

  const indexes = [...sizes.keys()]
  const size = sum(indexes.map(index => frames[index].byteLength))
  const stored = sum([...sizes.values()])
  const frameRatios = indexes.map(index => (sizes.get(index) ?? 0) / frames[index].byteLength)
  const known = { size, stored, rough: false, frameRatios }

  if (indexes.length === frames.length) {
    return { ...known, ratio: stored / size, margin: 0 }
  }

  const whole = order.filter(other => frameSizes(other, frames)?.size === frames.length)
  const reference = whole.findLast(({ codecLevel: { codec } }) => codec === run.codecLevel.codec) ?? whole.at(0)
  const relative = frameRatios.map((ratio, i) => ratio / ratioOn([indexes[i]], reference, frames))

  return {
    ...known,
    ratio: stored / size * othersOver(indexes, reference, frames),
    margin: marginOf(relative, indexes.length / frames.length)
  }
}

/**
 * How much better or worse the whole sample compresses than the pieces of frames that a run was measured on. Without
 * this, a level that was measured on the worst part of a file, or on short pieces, would look bad.
 */
async function correction (
  run: Run,
  order: readonly Run[],
  frames: readonly Uint8Array[],
  signal: AbortSignal
): Promise<number> {
  const parts = sizeOf(run.frames)
  const isQuick = ({ passes: [pass] }: Run): boolean =>
    pass != null && duration(pass) / pass.size * parts < REFERENCE_TIME
  const known = order.filter(other => frameSizes(other, frames) != null)
  const reference = known.findLast(other => other.codecLevel.codec === run.codecLevel.codec && isQuick(other))

  if (reference != null) {
    const { codec, level } = reference.codecLevel
    const compressed = await Promise.all(run.frames.map(async frame => codec.compress(frame, { level, signal })))

    return (knownRatio(reference, order, frames)?.ratio ?? 1) / (sizeOf(compressed) / parts)
  }

  // of another codec, it tells which frames are hard, but not what pieces lose: that depends on how far a codec sees
  const indexes = run.frames.map(piece => frames.findIndex(frame => frame.buffer === piece.buffer))

  return othersOver(indexes, known.find(other => frameSizes(other, frames)?.size === frames.length), frames)
}

/** The ratio of all frames over the ratio of some of them, with a level that knows all. */
function othersOver (indexes: readonly number[], reference: Run | undefined, frames: readonly Uint8Array[]): number {
  return ratioOn([...frames.keys()], reference, frames) / ratioOn(indexes, reference, frames)
}

/** The ratio of some frames with a level that knows all of them, or 1 without one. */
function ratioOn (indexes: readonly number[], reference: Run | undefined, frames: readonly Uint8Array[]): number {
  const sizes = reference == null ? undefined : frameSizes(reference, frames)

  return sizes == null
    ? 1
    : sum(indexes.map(index => sizes.get(index) ?? 0)) / sum(indexes.map(index => frames[index].byteLength))
}

function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1

  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function sum (values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
