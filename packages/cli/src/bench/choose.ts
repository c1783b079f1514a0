import { formatDuration, formatPercent, formatSpeed } from './format.ts'
import type { LinkName, Row } from './estimate.ts'

/** The least part of its bytes that a codec must save, as for `ipfsz add`. */
const MIN_GAIN = 0.05
/** Times that differ by no more than this part are as good as the same. */
const SAME_TIME = 0.05

const USUAL_LINK = '100 Mbit/s'
const FAST_LINK = '1 Gbit/s'

export interface Choice {
  /** What to use. */
  row: Row
  reason: string
  /** What stores the file smallest, where that is something else. */
  smallest?: Row
  /** What is best over 1 Gbit/s, where that is something else. */
  fastLink?: Row
}

/**
 * The codec and level for a file: the least time over 100 Mbit/s, and of what
 * takes about as long the smallest.
 *
 * @param rows - as `estimate` gives them, the file as it is first
 */
export function choose (rows: readonly Row[]): Choice {
  const [none, ...codecs] = rows
  const smallest = leastBy(codecs, row => row.ratio)
  const worthwhile = codecs.filter(row => row.ratio <= 1 - MIN_GAIN)

  if (worthwhile.length === 0) {
    return { row: none, reason: `It does not gain: ${smallest.label} makes it the smallest, and that is ${partOf(smallest)}. A codec must save 5 % to be worth it.` }
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

  return leastBy(close.filter(row => row.ratio === ratio), row => row.seconds[link])
}

function why (row: Row, none: Row): string {
  const { ratio, compress, decompress } = row
  const seconds = row.seconds[USUAL_LINK]

  return `Over ${USUAL_LINK} the reader has it after ${formatDuration(seconds)} instead of ${formatDuration(none.seconds[USUAL_LINK])}, ` +
    `and it takes ${partOf(row)}. ${limit(seconds / none.seconds[USUAL_LINK], ratio, compress, decompress)}`
}

/** How much of the file's size is left. */
export function partOf ({ ratio, partial }: Row): string {
  const percent = formatPercent(ratio)

  return `${partial && !percent.startsWith('<') ? 'about ' : ''}${percent} of its size`
}

/** Which takes the longest of sending, compressing and decompressing. */
function limit (part: number, ratio: number, compress: number, decompress: number): string {
  if (part <= ratio * (1 + SAME_TIME)) {
    return `Sending is what takes the time: compressing (${formatSpeed(compress)} MB/s) and decompressing (${formatSpeed(decompress)} MB/s) keep up with it.`
  }

  return compress < decompress
    ? `Compressing (${formatSpeed(compress)} MB/s) is what takes the time.`
    : `Decompressing (${formatSpeed(decompress)} MB/s) is what takes the time.`
}

function whyNone (none: Row, codecs: readonly Row[]): string {
  const fastest = leastBy(codecs, row => row.seconds[USUAL_LINK])

  return `Over ${USUAL_LINK} the reader has it after ${formatDuration(none.seconds[USUAL_LINK])} as it is, ` +
    `and not before ${formatDuration(fastest.seconds[USUAL_LINK])} with ${fastest.label}, the fastest of these.`
}

/** The first of those with the least value. */
function leastBy<T> (values: readonly T[], value: (of: T) => number): T {
  return values.reduce((least, next) => value(next) < value(least) ? next : least)
}
