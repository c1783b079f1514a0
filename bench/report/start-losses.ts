import { rounded } from '../benchmark.ts'
import { NOISE } from './loss.ts'
import { numberOf, rowsOf } from './rows.ts'
import { line, range, some } from './words.ts'
import type { Results } from './rows.ts'

const NAMES: Readonly<Record<string, string>> = {
  start: 'printing the version',
  add: 'adding 15 kB',
  cat: 'reading 15 kB'
}

/** How many times as long as Kubo each cold start takes, where it takes longer. */
function slowStarts (results: Results): Array<{ name: string, times: number }> {
  return rowsOf(results, 'start').filter(({ side }) => side === 'ipfsz').flatMap(row => {
    const times = numberOf(row, 'times Kubo\'s time')

    return times != null && times > 1 + NOISE ? [{ name: NAMES[String(row.what)], times }] : []
  })
}

/** For the page of the benchmark. */
export function fromStart (results: Results): string[] {
  return slowStarts(results).map(({ name, times }) =>
    `**${name} from a cold start**: IPFSz takes ${rounded(times)} times as long as Kubo.`)
}

/** For the front page. */
export function startLosses (results: Results): string[] {
  return line('Starting the command', 'start', some(
    range(slowStarts(results).map(({ times }) => times)),
    times => `a cold start takes ${times} times as long as Kubo's`
  ))
}
