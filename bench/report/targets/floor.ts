import { FLOOR, FLOOR_OF_STORE } from '../../support/floor/names.ts'
import { find, numberOf } from '../rows.ts'
import { atLeast } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

const FAST = 'times as fast'

/** IPFSz with its defaults, where a benchmark compares it with the floor. */
export const OURS = 'ipfsz'

/** The rows of all tables of the benchmark of the floor: each table has columns of its own. */
export function floorRows (results: Results): readonly Row[] {
  return results.get('floor')?.tables.flatMap(({ rows }) => rows) ?? []
}

/**
 * A target against plain Helia, whose limit is the floor that was measured beside it, in the same run.
 *
 * @param values - which rows of the benchmark of the floor
 */
export function againstFloor (results: Results, what: string, target: number, values: Row): Row {
  const rows = floorRows(results)
  const of = (side: string): number | undefined => numberOf(find(rows, { ...values, side }), FAST)

  return atLeast(what, target, of(OURS), of(FLOOR) ?? of(FLOOR_OF_STORE))
}

/** Targets of adding each input of small files whose name passes a test, in a new process and in a warm one. */
export function smallAddTargets (results: Results, isInput: (name: string) => boolean): Row[] {
  return floorRows(results)
    .filter(({ input, side }) => side === OURS && typeof input === 'string' && isInput(input))
    .map(({ input, process }) => againstFloor(
      results,
      `add ${input} in a ${process} process: times plain Helia's speed`,
      1,
      { input, process }
    ))
}
