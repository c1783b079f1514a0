import { DEFAULT, PLAIN, RANGES } from '../support/datasets/sides.ts'
import { extremes, NOISE } from './loss.ts'
import { find, numberOf } from './rows.ts'
import type { Results } from './rows.ts'

/** What is compared, with its unit. */
const COLUMNS = [['seconds', ' s'], ['requests', ' requests'], ['MB', ' MB']] as const

/** Those that people get, by name. */
const SIDES = [{ name: '`ranges`', ...RANGES }, { name: 'the default', ...DEFAULT }]

/** The readings that take longer, more requests or more bytes than of the same file plain. */
export function fromDatasets (results: Results): string[] {
  const tables = results.get('datasets')?.tables ?? []

  return SIDES.flatMap(({ name, side }) => COLUMNS.flatMap(([column, unit]) => {
    const pairs = tables.flatMap(({ title, rows }) => rows.filter(row => row.side === side).map(row => ({
      what: `${row.reading} of ${nameOf(title)}`,
      ours: numberOf(row, column),
      theirs: numberOf(find(rows, { reading: row.reading, side: PLAIN.side }), column)
    })))
    const losses = pairs.flatMap(({ what, ours, theirs }) => (
      ours != null && theirs != null && ours > theirs * (1 + NOISE)
        ? [{ text: `${what} (${ours} against ${theirs}${unit})`, times: ours / theirs }]
        : []
    ))

    return losses.length === 0
      ? []
      : [`**${name}, ${column}**: more than plain with ${extremes(losses, pairs.length, 'readings')}.`]
  }))
}

/** Of `A SQLite database of 46.1 MB, over ...`. */
function nameOf (title: string): string {
  return title.replace(/ of [\d.]+ MB.*$/, '').replace(/^A/, 'a')
}
