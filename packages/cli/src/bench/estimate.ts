import { marginOf, marginOfProduct } from './margin.ts'
import type { Measurement } from './summarize.ts'

/** The links that times are estimated for, in bits per second. */
export const LINKS = [
  { name: '10 Mbit/s', bits: 10e6 },
  { name: '100 Mbit/s', bits: 100e6 },
  { name: '1 Gbit/s', bits: 1e9 }
] as const

export type LinkName = typeof LINKS[number]['name']

/** One way to store a file, with its measured and estimated figures. */
export interface Row {
  /** `zstd 3`, `lz4`, `none`. */
  label: string
  codec: string
  level?: number
  /** The implementation of the codec: native, wasm or js. */
  implementation?: string
  /** The original bytes that were measured. */
  measured: number
  /** The same bytes, compressed. */
  stored: number
  /** stored / measured, corrected if `partial`. */
  ratio: number
  /** Original bytes per second, Infinity for `none`. */
  compress: number
  /** Original bytes per second, Infinity for `none`. */
  decompress: number
  rounds: number
  /** Seconds until a reader has the whole file. */
  seconds: Record<LinkName, number>
  /** Whether it was measured on less than the whole sample. */
  partial: boolean
  /**
   * How far the ratio may be from that of all files, as a part of it, in 95 of 100 cases. Undefined if nobody can tell.
   */
  margin?: number | undefined
}

/**
 * Makes the rows to compare: one for the uncompressed file, then one for each measurement.
 *
 * @param size - bytes of all files
 * @param sampled - bytes of the sample
 */
export function estimate (measurements: readonly Measurement[], size: number, sampled: number): Row[] {
  const none = {
    label: 'none',
    codec: 'none',
    measured: sampled,
    stored: sampled,
    ratio: 1,
    compress: Infinity,
    decompress: Infinity,
    rounds: 0,
    margin: 0
  }
  const ofSample = sampleMargin(measurements, sampled / size)
  const measured = measurements.map(({ codecLevel: { codec, level, label }, size: measured, ...figures }) => ({
    label,
    codec: codec.name,
    level,
    implementation: codec.implementation,
    measured,
    stored: figures.stored,
    ratio: figures.ratio,
    compress: figures.compress,
    decompress: figures.decompress,
    rounds: figures.rounds,
    margin: marginOfProduct(figures.margin, ofSample)
  }))

  return [none, ...measured].map(row => ({ ...row, seconds: secondsOver(size, row), partial: row.measured < sampled }))
}

/**
 * How far the ratios of all files may be from those of the sample: that of the level that knows most frames, as levels
 * find the same frames hard.
 */
function sampleMargin (measurements: readonly Measurement[], known: number): number | undefined {
  const most = measurements.map(({ frameRatios }) => frameRatios).toSorted((a, b) => b.length - a.length).at(0)

  return marginOf(most ?? [], known)
}

/**
 * The seconds to compress, send and decompress a file over each link. The three steps overlap, frame
 * by frame, so the slowest one alone decides.
 */
export function secondsOver (
  size: number,
  { ratio, compress, decompress }: Pick<Row, 'ratio' | 'compress' | 'decompress'>
): Row['seconds'] {
  return Object.fromEntries(LINKS.map(({ name, bits }) =>
    [name, Math.max(size / compress, size * ratio * 8 / bits, size / decompress)])) as Row['seconds']
}
