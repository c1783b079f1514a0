import type { Measurement } from './summarize.ts'

/** The links that times are estimated for, and how many bits a second each takes. */
export const LINKS = [
  { name: '10 Mbit/s', bits: 10e6 },
  { name: '100 Mbit/s', bits: 100e6 },
  { name: '1 Gbit/s', bits: 1e9 }
] as const

export type LinkName = typeof LINKS[number]['name']

/** One way to send a file, and what it comes to. */
export interface Row {
  /** `zstd 3`, `lz4`, `none`. */
  label: string
  codec: string
  level?: number
  /** What runs the codec here. */
  implementation?: string
  /** Original bytes that this was measured on. */
  measured: number
  /** Compressed bytes of those. */
  stored: number
  /** stored / measured, corrected where `partial`. */
  ratio: number
  /** Original bytes a second, endless for `none`. */
  compress: number
  decompress: number
  rounds: number
  /** Seconds until the reader has the whole file. */
  seconds: Record<LinkName, number>
  /** Measured on less than the others. */
  partial: boolean
}

/**
 * The rows to compare: one for the file as it is, then one for each measurement.
 *
 * @param size - bytes of all files
 * @param sampled - bytes that there were to measure on
 */
export function estimate (measurements: readonly Measurement[], size: number, sampled: number): Row[] {
  const none = { label: 'none', codec: 'none', measured: sampled, stored: sampled, ratio: 1, compress: Infinity, decompress: Infinity, rounds: 0 }
  const measured = measurements.map(({ candidate: { codec, level, label }, size: measured, ...figures }) =>
    ({ label, codec: codec.name, level, implementation: codec.implementation, measured, ...figures }))

  return [none, ...measured].map(row => ({ ...row, seconds: secondsOver(size, row), partial: row.measured < sampled }))
}

/**
 * Frames stream: one is compressed while the one before is on its way and the one
 * before that is decompressed. So the slowest of the three says how long it takes.
 */
export function secondsOver (size: number, { ratio, compress, decompress }: Pick<Row, 'ratio' | 'compress' | 'decompress'>): Row['seconds'] {
  return Object.fromEntries(LINKS.map(({ name, bits }) =>
    [name, Math.max(size / compress, size * ratio * 8 / bits, size / decompress)])) as Row['seconds']
}
