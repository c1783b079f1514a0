import { formatDuration, formatPercent, formatSpeed } from './format.ts'
import type { LinkName, Row } from './estimate.ts'

/** The least share of the bytes that a codec must save, as for `ipfsz add`. */
const MIN_GAIN = 0.05
/** Two times that differ by at most this fraction count as equal. */
const SAME_TIME = 0.05

const USUAL_LINK = '100 Mbit/s'
const FAST_LINK = '1 Gbit/s'

export interface Choice {
  /** The best row. */
  row: Row
  reason: string
  /** The row with the smallest file, if it is another. */
  smallest?: Row
  /** The best row over 1 Gbit/s, if it is another. */
  fastLink?: Row
}

/**
 * Chooses the codec level for a file: the one with the least time over 100 Mbit/s, and of those with
 * about that time the smallest file.
 *
 * @param rows - from `estimate`, the uncompressed file first
 */
export function choose (rows: readonly Row[]): Choice {
  const [none, ...codecs] = rows
  const smallest = minBy(codecs, row => row.ratio)
  const worthwhile = codecs.filter(row => row.ratio <= 1 - MIN_GAIN)

  if (worthwhile.length === 0) {
    const reason = `Compression does not help: the smallest is ${smallest.label} with ${formatShare(smallest)}, ` +
      'but a codec must save at least 5 %.'

    return { row: none, reason }
  }

  const row = bestOver(USUAL_LINK, [none, ...worthwhile])
  const fastLink = bestOver(FAST_LINK, [none, ...worthwhile])

  return {
    row,
    reason: row === none ? whyNone(none, worthwhile) : why(row, none),
    ...smallest === row ? {} : { smallest },
    ...fastLink === row ? {} : { fastLink }
  }
}

function bestOver (link: LinkName, rows: readonly Row[]): Row {
  const least = Math.min(...rows.map(row => row.seconds[link]))
  const close = rows.filter(row => row.seconds[link] <= least * (1 + SAME_TIME))
  const ratio = Math.min(...close.map(row => row.ratio))

  return minBy(close.filter(row => row.ratio === ratio), row => row.seconds[link])
}

function why (row: Row, none: Row): string {
  const { ratio, compress, decompress } = row
  const [seconds, before] = [row, none].map(({ seconds }) => seconds[USUAL_LINK])

  return `Over ${USUAL_LINK}, reading takes ${formatDuration(seconds)} instead of ${formatDuration(before)}, ` +
    `and the data shrinks to ${formatShare(row)}. ${limit(seconds / before, ratio, compress, decompress)}`
}

/** The stored size as a share: `41.2 % of its size`. */
export function formatShare ({ ratio, partial }: Row): string {
  const percent = formatPercent(ratio)

  return `${partial && !percent.startsWith('<') ? 'about ' : ''}${percent} of its size`
}

/** Which of sending, compressing and decompressing is the slowest. */
function limit (part: number, ratio: number, compress: number, decompress: number): string {
  if (part <= ratio * (1 + SAME_TIME)) {
    return `Sending is the slowest step: compressing (${formatSpeed(compress)} MB/s) ` +
      `and decompressing (${formatSpeed(decompress)} MB/s) keep up.`
  }

  return compress < decompress
    ? `Compressing (${formatSpeed(compress)} MB/s) is the slowest step.`
    : `Decompressing (${formatSpeed(decompress)} MB/s) is the slowest step.`
}

function whyNone (none: Row, codecs: readonly Row[]): string {
  const fastest = minBy(codecs, row => row.seconds[USUAL_LINK])

  return `Over ${USUAL_LINK}, reading takes ${formatDuration(none.seconds[USUAL_LINK])} uncompressed, ` +
    `and ${formatDuration(fastest.seconds[USUAL_LINK])} with ${fastest.label}, the fastest codec here.`
}

/** The first value with the least measure. */
function minBy<T> (values: readonly T[], measure: (value: T) => number): T {
  return values.reduce((least, next) => measure(next) < measure(least) ? next : least)
}
