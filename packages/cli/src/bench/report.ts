import { basename } from 'node:path'
import { printable } from '../terminal/output.ts'
import { count, formatSize } from '../terminal/units.ts'
import { wrap } from '../terminal/wrap.ts'
import { chart } from './chart.ts'
import { formatShare } from './choose.ts'
import { formatDuration, formatMargin, formatSpeed } from './format.ts'
import { rowsTable } from './rows-table.ts'
import { colour } from './terminal.ts'
import type { Choice } from './choose.ts'
import type { Row } from './estimate.ts'
import type { Unmeasured } from './measure.ts'
import type { Terminal } from './terminal.ts'

export interface Report {
  paths: readonly string[]
  /** Bytes of all files. */
  size: number
  /** Bytes of the sample. */
  sampled: number
  frameSize: number
  threads: number
  /** The time limit in seconds. */
  time: number
  rows: readonly Row[]
  /** Levels that there was no time for. */
  unmeasured: readonly Unmeasured[]
  /** The time limit that would do for all, in seconds. */
  needed: number
  choice: Choice
  /** The command that adds the files with the choice. */
  command: string
}

/** The report as text. */
export function reportText (report: Report, terminal: Terminal): string {
  const { rows, choice, size, command } = report
  const { width } = terminal

  return [
    colour('bold', title(report, width), terminal),
    colour('dim', wrap(conditions(report), width), terminal),
    '',
    ...rowsTable(rows, choice.row, terminal),
    ...footnote(report, width).map(line => colour('dim', line, terminal)),
    '',
    ...chart(rows, choice.row, size, terminal),
    '',
    colour(['bold', 'green'], `Recommended: ${choice.row.label}`, terminal),
    wrap(choice.reason, width),
    ...alternatives(choice).map(line => wrap(line, width)),
    '',
    `  ${colour('bold', command, terminal)}`
  ].join('\n')
}

/** The report for `--json`: an object for each row, then one for the choice. */
export function reportObjects (report: Report): Array<Record<string, unknown>> {
  const { paths, size, sampled, frameSize, threads, rows, unmeasured, choice, command } = report

  return [
    ...rows.map(rowObject),
    ...unmeasured.map(unmeasuredObject),
    {
      choice: codecAndLevel(choice.row),
      reason: choice.reason,
      command,
      smallest: codecAndLevel(choice.smallest ?? choice.row),
      fastLink: codecAndLevel(choice.fastLink ?? choice.row),
      files: paths,
      size,
      sampled,
      frameSize,
      threads
    }
  ]
}

function rowObject (row: Row): Record<string, unknown> {
  const { codec, level, implementation, measured, stored, ratio, rounds, seconds, partial, margin } = row
  const { compress, decompress } = row

  return {
    codec,
    level,
    implementation,
    measured,
    stored,
    ratio,
    // the speeds of `none` are Infinity, which JSON does not have
    ...codec === 'none' ? {} : { compress: Math.round(compress), decompress: Math.round(decompress) },
    rounds,
    seconds,
    partial,
    margin
  }
}

/** No figure of it is known, but that of the seconds that it would take. */
function unmeasuredObject ({ codecLevel: { codec, level }, expected }: Unmeasured): Record<string, unknown> {
  return { codec: codec.name, level, implementation: codec.implementation, measured: 0, expected: expected / 1000 }
}

function codecAndLevel ({ codec, level }: Row): Record<string, unknown> {
  return { codec, level }
}

function title ({ paths, size }: Report, width: number): string {
  const name = paths.length === 1 ? printable(basename(paths[0])) : `${paths.length} files`
  const end = `, ${formatSize(size)}`
  const most = width - end.length

  return `${name.length <= most ? name : `${name.slice(0, most - 3)}...`}${end}`
}

function conditions (report: Report): string {
  const { paths, size, sampled, frameSize, threads } = report
  const files = paths.length === 1 ? 'the file' : 'the files'
  const what = sampled < size
    ? `${formatSize(sampled)} of ${formatSize(size)}, spread over ${files}`
    : `all of ${files}`
  const workers = count(threads, 'thread')

  return `Measured on ${what}, in frames of ${formatSize(frameSize)}, with ${workers}.${certainty(report)}`
}

/** How far the ratios may be from those of all files. Nothing if all of them were measured. */
function certainty ({ size, sampled, choice, rows }: Report): string {
  const { margin } = choice.row.codec === 'none' ? rows.find(row => row.codec !== 'none') ?? choice.row : choice.row

  if (sampled >= size) {
    return ''
  }

  return margin == null || margin > 1
    ? ' That is too little to estimate the ratios of all data.'
    : ` With 95 % confidence, the ratios of all data are within ${formatMargin(margin)} of these.`
}

function footnote ({ rows, unmeasured, needed, time }: Report, width: number): string[] {
  const partial = rows.filter(row => row.partial).map(({ label, measured, margin }) =>
    `${label} on ${formatSize(measured)}${margin == null || margin > 1 ? '' : `, ± ${formatMargin(margin)}`}`)
  const slow = unmeasured.map(({ codecLevel: { label }, expected }) =>
    `${label} (${formatDuration(expected / 1000)})`)
  const notes = [
    ...partial.length === 0 ? [] : [`~ measured on less data, to finish within ${time} s: ${partial.join('; ')}.`],
    ...slow.length === 0
      ? []
      : [`Not measured, because too slow: ${slow.join(', ')}. To measure all, use --time ${needed}.`]
  ]

  return notes.length === 0 ? [] : ['', ...notes.flatMap(note => wrap(note, width).split('\n'))]
}

function alternatives ({ smallest, fastLink }: Choice): string[] {
  const lines: string[] = []

  if (smallest != null) {
    const speed = formatSpeed(smallest.compress)

    lines.push(`To save space: ${smallest.label}, ${formatShare(smallest)}, compressed at ${speed} MB/s.`)
  }

  if (fastLink != null) {
    lines.push(`Over 1 Gbit/s: ${fastLink.label}, read after ${formatDuration(fastLink.seconds['1 Gbit/s'])}.`)
  }

  return lines
}
