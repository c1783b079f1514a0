import { measureFirst } from './first-round.ts'
import { pickEvenly } from './limit-frames.ts'
import { nonZero, storedSizesOf } from './pass.ts'
import type { Run, RunOptions } from './first-round.ts'

/** A piece of this many bytes is the least that is measured, 64 KiB. */
const LEAST_PIECE = 64 * 1024

/** Whether a run was measured on whole frames. A level that only knows pieces of them misses what repeats far apart. */
export function knowsFrames ({ frames: measured, whole }: Run, frames: readonly Uint8Array[]): boolean {
  return whole != null || measured.every(frame => frames.includes(frame))
}

/** What whole frames are compressed to, by their index. Undefined if that was not measured. */
export function frameSizes (run: Run, frames: readonly Uint8Array[]): ReadonlyMap<number, number> | undefined {
  if (!knowsFrames(run, frames)) {
    return undefined
  }

  // of a small file, the warm-up takes all
  const { storedSizes } = run.passes.at(0) ?? run.warmUp

  return run.whole ?? new Map(run.frames.map((frame, i) => [frames.indexOf(frame), storedSizes[i]]))
}

/**
 * Compress whole frames with the levels that were measured on pieces of frames, those first that may compress best.
 * Where there is no time for whole frames, measure larger pieces.
 *
 * @param end - when it must be over, on the clock of the options
 */
export async function measureWholeFrames (
  runs: readonly Run[],
  frames: readonly Uint8Array[],
  end: number,
  options: RunOptions
): Promise<void> {
  const { now, width, onStart } = options
  const unknown = runs.filter(run => !knowsFrames(run, frames))
  const order = unknown.toSorted((a, b) => leastRatio(a, runs, frames) - leastRatio(b, runs, frames))
  const chosen = pickEvenly([...frames.keys()], width)
  const largest = Math.max(...chosen.map(index => frames[index].byteLength))
  const left: Run[] = []

  for (const run of order) {
    if (now() + timeFor(run, largest, width) <= end) {
      onStart?.(run.codecLevel)
      const sizes = await storedSizesOf(run.codecLevel, chosen.map(index => frames[index]), options)
      run.whole = new Map(chosen.map((index, i) => [index, sizes[i]]))
    } else {
      left.push(run)
    }
  }

  for (const [i, run] of left.entries()) {
    await measureFirst(run, frames, (end - now()) / (left.length - i), options)
  }
}

/** How long whole frames may take, in milliseconds: as many as there are cores, which take as long as one. */
function timeFor (run: Run, frameSize: number, width: number): number {
  const { compress, size } = run.passes.at(0) ?? run.warmUp
  const piece = Math.max(...run.frames.map(({ byteLength }) => byteLength))

  return nonZero(compress) / size * Math.min(width, run.frames.length) * frameSize * slowness(frameSize) /
    slowness(piece)
}

/** Slow levels get slower as pieces grow, zstd 19 three times as slow from 64 KiB to 4 MiB. */
function slowness (bytes: number): number {
  return 1 + Math.max(0, Math.log2(bytes / LEAST_PIECE)) / 3
}

/**
 * The ratio that a level may reach, judged by pieces of frames: that of the pieces, or of a lower level of its codec on
 * whole frames if that is less.
 */
export function leastRatio (run: Run, runs: readonly Run[], frames: readonly Uint8Array[]): number {
  const { stored, size } = run.passes.at(0) ?? run.warmUp

  return Math.min(stored / size, lowerRatio(run, runs, frames))
}

/** The best ratio of lower levels of the same codec on whole frames. Infinity if there is none. */
export function lowerRatio (
  { codecLevel: { codec, level } }: Run,
  runs: readonly Run[],
  frames: readonly Uint8Array[]
): number {
  const ratios = runs
    .filter(({ codecLevel: other }) => other.codec === codec && other.level < level)
    .map(other => frameSizes(other, frames))
    .filter(sizes => sizes != null)
    .map(sizes => sum([...sizes.values()]) / sum([...sizes.keys()].map(index => frames[index].byteLength)))

  return Math.min(Infinity, ...ratios)
}

function sum (values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
