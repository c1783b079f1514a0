/** What a cell of a table holds. */
export type Cell = string | number | bigint | null | Uint8Array

/** To the worker: open the database at a URL, or run SQL on it. */
export type Request = { open: string } | { sql: string }

export interface Result {
  columns: string[]
  /** At most {@link MAX_ROWS}. */
  rows: Cell[][]
}

/** From the worker, one for each request. */
export type Answer = { error: string } | Result

/** The most rows of a result. */
export const MAX_ROWS = 200
