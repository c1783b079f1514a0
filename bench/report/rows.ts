import type { Row } from '../benchmark.ts'
import type { Result } from '../support/results.ts'

/** The results of full runs, by name. */
export type Results = ReadonlyMap<string, Result>

/** The rows of a benchmark's table. None if it was not run. */
export function rowsOf (results: Results, name: string, table = 0): readonly Row[] {
  return results.get(name)?.tables[table]?.rows ?? []
}

/** A number of a row, undefined if there is none. */
export function numberOf (row: Row | undefined, column: string): number | undefined {
  const value = row?.[column]

  return typeof value === 'number' ? value : undefined
}

/** The first row with these values. */
export function find (rows: readonly Row[], values: Row): Row | undefined {
  return rows.find(row => Object.entries(values).every(([column, value]) => row[column] === value))
}

/** The different values of a column, in the order of the rows. */
export function distinct (rows: readonly Row[], column: string): Array<string | number> {
  return [...new Set(rows.map(row => row[column]))]
}
