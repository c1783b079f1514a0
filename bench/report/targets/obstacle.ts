import type { Results } from '../rows.ts'

/** What keeps some targets from being reached. */
export interface Obstacle {
  /** Matches the names of those targets. */
  of: RegExp
  /** Lines of the report, with figures of the results. None if its benchmark was not run. */
  lines (this: void, results: Results): string[]
}

/** When the shares that obstacles tell were measured. They are of processor time, and change less than times do. */
export const PROFILED = '2026-11-26'
