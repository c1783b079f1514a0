import { rounded } from '../benchmark.ts'
import { PLAIN } from '../support/file-systems.ts'
import { COMMAND } from '../support/network/command-sides.ts'
import { LIBRARY } from '../support/network/sides.ts'
import { extremes, list, NOISE } from './loss.ts'
import { find, numberOf, rowsOf } from './rows.ts'
import type { Row } from '../benchmark.ts'
import type { Loss } from './loss.ts'
import type { Results } from './rows.ts'

/** A fetch that takes more than this many times the floor is listed. */
const FAR = 1.25

export function fromNetwork (results: Results): string[] {
  const rows = (results.get('network')?.tables ?? []).flatMap(({ rows }) => rows)

  return [LIBRARY, COMMAND].flatMap(side => fromFetches(rows, side))
}

function fromFetches (rows: readonly Row[], side: string): string[] {
  const ours = rows.filter(row => row.side === side && 'floor, s' in row)
  const beaten = (by: string, what: string): Loss[] => ours.flatMap(row => {
    const theirs = numberOf(
      find(rows, { 'Mbit/s': row['Mbit/s'], 'round trip, ms': row['round trip, ms'], MB: row.MB, side: by }),
      what
    )
    const seconds = numberOf(row, what)

    return seconds != null && theirs != null && theirs < seconds * (1 - NOISE)
      ? [{ text: `${linkOf(row)} (${rounded(theirs)} s against ${rounded(seconds)} s)`, times: seconds / theirs }]
      : []
  })
  const failed = ours.filter(row => row.failed !== '')
  const far = ours.map(
    row => ({ text: `${linkOf(row)} (${row['times the floor']})`, times: numberOf(row, 'times the floor') ?? 0 })
  ).filter(({ times }) => times > FAR)

  return [
    ...failed.map(row => `**fetching, ${side}**, fails over ${linkOf(row)}: ${row.failed}.`),
    ...[PLAIN, 'plain CID with libp2p compression', 'Kubo', 'Kubo, zstd -3 piped'].flatMap(by => {
      const links = beaten(by, 'seconds')
      const first = beaten(by, 'first byte, s')

      return [
        ...links.length === 0 ? [] : [
          `**fetching, ${side}**: ${by} is faster over ${extremes(links, ours.length, 'links')}.`
        ],
        ...first.length === 0 ? [] : [
          `**fetching, ${side}, the first byte**: sooner with ${by} over ${extremes(first, ours.length, 'links')}.`
        ]
      ]
    }),
    ...far.length === 0 ? [] : [
      `**fetching, ${side}**, takes more than ${FAR} times the floor over ${extremes(far, ours.length, 'links')}.`
    ]
  ]
}

export function fromSlow (results: Results): string[] {
  const rows = rowsOf(results, 'slow')
  const failed = rows.filter(row => row.failed !== '')
  const far = rows.filter(row => (numberOf(row, 'times the floor') ?? 0) > FAR)

  return [
    ...failed.map(
      row =>
        `**\`ipfsz cat\` does not always get the file** over ${row['Mbit/s']} Mbit/s from ${row.provider}: ` +
      `${row.whole} are complete; ${row.failed}.`
    ),
    ...far.length === 0 ? [] : [
      `**\`ipfsz cat\` takes more than ${FAR} times the floor** over ${list(far.map(row =>
        `${row['Mbit/s']} Mbit/s from ${row.provider} with ${row.MB} MB of ${row.what} (${row['times the floor']})`))}.`
    ]
  ]
}

function linkOf (row: Row): string {
  return `${row['Mbit/s']} Mbit/s and ${row['round trip, ms']} ms with ${row.MB} MB`
}
