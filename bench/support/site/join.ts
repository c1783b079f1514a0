import { ROW_NAMES } from './to-rows.ts'
import type { Row, Table } from '../../benchmark.ts'

/** The table of sides that could not be measured. */
export const NOT_MEASURED = 'Not measured'
/** The table of sides that were not measured to the end. */
export const FAILED = 'Not measured to the end'

/** The tables of sides alone, in their order. */
const LAST = [FAILED, NOT_MEASURED]

/** What tells one row of a table from another. */
const KEY = ['side', 'object', 'phase'] as const

/**
 * Join what was measured at different times: of two rows about the same, the later one stays. Each says when it was
 * measured. Rows that do not, of an older version of this benchmark, are dropped.
 *
 * @param sides - the names of all sides, in the order of the rows
 */
export function joinTables (
  earlier: readonly Table[],
  later: readonly Table[],
  sides: readonly string[]
): Table[] {
  const again = new Set(later.filter(({ title }) => title !== NOT_MEASURED).flatMap(
    ({ rows }) => rows.map(({ side }) => side)
  ))
  const titles = [...new Set([...earlier, ...later].map(({ title }) => title))]
  const tables = titles.map(title => {
    const rows = new Map<string, Row>()

    // what failed counts until it is measured again
    const kept = earlier.map(table => ({
      ...table, rows: table.rows.filter(({ side }) => table.title !== FAILED || !again.has(side))
    }))

    for (const row of [...kept, ...later].filter(table => table.title === title).flatMap(table => table.rows)) {
      if (row.measured != null) {
        rows.set(KEY.map(column => String(row[column])).join('\n'), row)
      }
    }

    return { title, rows: [...rows.values()].toSorted((a, b) => compare(a, b, sides)) }
  })
  const measured = new Set(tables.filter(({ title }) => !LAST.includes(title)).flatMap(
    ({ rows }) => rows.map(({ side }) => side)
  ))

  return tables
    .map(({ title, rows }) => ({
      title, rows: title === NOT_MEASURED ? rows.filter(({ side }) => !measured.has(side)) : rows
    }))
    .filter(({ rows }) => rows.length > 0)
    .toSorted((a, b) => LAST.indexOf(a.title) - LAST.indexOf(b.title))
}

function compare (a: Row, b: Row, sides: readonly string[]): number {
  return sides.indexOf(String(a.side)) - sides.indexOf(String(b.side)) ||
    sizeOf(a) - sizeOf(b) ||
    // text before noise
    String(b.object).localeCompare(String(a.object)) ||
    placeOf(a) - placeOf(b)
}

/** Objects are named by their size in KiB. */
function sizeOf ({ object }: Row): number {
  return parseInt(String(object))
}

function placeOf ({ phase }: Row): number {
  return ROW_NAMES.indexOf(String(phase))
}
