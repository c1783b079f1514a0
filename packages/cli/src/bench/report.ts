import { basename } from 'node:path'
import { printable } from '../output.ts'
import { formatSize } from '../units.ts'
import { chart } from './chart.ts'
import { partOf } from './choose.ts'
import { formatDuration, formatSpeed, wrap } from './format.ts'
import { rowsTable } from './rows-table.ts'
import { paint } from './terminal.ts'
import type { Choice } from './choose.ts'
import type { Row } from './estimate.ts'
import type { Terminal } from './terminal.ts'

export interface Report {
  paths: readonly string[]
  /** Bytes of all files. */
  size: number
  /** Bytes that there were to measure on. */
  sampled: number
  frameSize: number
  threads: number
  /** Seconds that measuring was given. */
  time: number
  rows: readonly Row[]
  choice: Choice
  /** How to add the files so. */
  command: string
}

/** All of it for people. */
export function reportText (report: Report, terminal: Terminal): string {
  const { rows, choice, size, command } = report
  const { width } = terminal

  return [
    paint('bold', title(report, width), terminal),
    paint('dim', wrap(conditions(report), width), terminal),
    '',
    ...rowsTable(rows, choice.row, terminal),
    ...footnote(report, width).map(line => paint('dim', line, terminal)),
    '',
    ...chart(rows, choice.row, size, terminal),
    '',
    paint(['bold', 'green'], `The choice: ${choice.row.label}`, terminal),
    wrap(choice.reason, width),
    ...alternatives(choice).map(line => wrap(line, width)),
    '',
    `  ${paint('bold', command, terminal)}`
  ].join('\n')
}

/** All of it for programs, an object for each row and then one for the choice. */
export function reportObjects ({ paths, size, sampled, frameSize, threads, rows, choice, command }: Report): Array<Record<string, unknown>> {
  return [
    ...rows.map(({ codec, level, implementation, measured, stored, ratio, compress, decompress, rounds, seconds, partial }) => ({
      codec,
      level,
      implementation,
      measured,
      stored,
      ratio,
      // JSON has no number for the speed of doing nothing
      ...codec === 'none' ? {} : { compress: Math.round(compress), decompress: Math.round(decompress) },
      rounds,
      seconds,
      partial
    })),
    {
      choice: named(choice.row),
      reason: choice.reason,
      command,
      smallest: named(choice.smallest ?? choice.row),
      fastLink: named(choice.fastLink ?? choice.row),
      files: paths,
      size,
      sampled,
      frameSize,
      threads
    }
  ]
}

function named ({ codec, level }: Row): Record<string, unknown> {
  return { codec, level }
}

function title ({ paths, size }: Report, width: number): string {
  const name = paths.length === 1 ? printable(basename(paths[0])) : `${paths.length} files`
  const end = `, ${formatSize(size)}`
  const most = width - end.length

  return `${name.length <= most ? name : `${name.slice(0, most - 3)}...`}${end}`
}

function conditions ({ paths, size, sampled, frameSize, threads }: Report): string {
  const what = sampled < size
    ? `${formatSize(sampled)} of ${formatSize(size)}, from all over ${paths.length === 1 ? 'the file' : 'the files'}`
    : `all of ${paths.length === 1 ? 'it' : 'them'}`

  return `Measured on ${what}, in frames of ${formatSize(frameSize)}, with ${threads} ${threads === 1 ? 'thread' : 'threads'}.`
}

function footnote ({ rows, time }: Report, width: number): string[] {
  const partial = rows.filter(row => row.partial)

  return partial.length === 0
    ? []
    : ['', ...wrap(`~ on less than that, to be done in ${time} s (--time allows more): ${partial.map(({ label, measured }) => `${label} on ${formatSize(measured)}`).join(', ')}.`, width).split('\n')]
}

function alternatives ({ smallest, fastLink }: Choice): string[] {
  return [
    ...smallest == null ? [] : [`To save space: ${smallest.label}, ${partOf(smallest)}, compressed at ${formatSpeed(smallest.compress)} MB/s.`],
    ...fastLink == null ? [] : [`Over 1 Gbit/s: ${fastLink.label}, there after ${formatDuration(fastLink.seconds['1 Gbit/s'])}.`]
  ]
}
