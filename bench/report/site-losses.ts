import { rounded } from '../benchmark.ts'
import { extremes, NOISE } from './loss.ts'
import { distinct, find, numberOf } from './rows.ts'
import type { Row } from '../benchmark.ts'
import type { Loss } from './loss.ts'
import type { Results } from './rows.ts'

/** What an operator can do without a shared store. */
const BASELINE = 'Kubo, own stores, peering in the site'
const SIDES = ['ipfsz, shared directory', 'ipfsz daemon, shared directory']

const SECONDS = 'seconds, median'

/** For the page of the benchmark: what takes longer than with stores of their own. */
export function fromSite (results: Results): string[] {
  // not of an older version of the benchmark, whose rows do not say when they were measured
  const tables = results.get('site')?.tables.filter(({ rows }) => rows.some(row => row.measured != null)) ?? []

  return tables.flatMap(({ title, rows }) => {
    const [how] = title.split(',')
    const where = / (\d+ ms) between sites/.exec(title)?.[1]

    return distinct(rows, 'phase').flatMap(phase => {
      const compared = rows.filter(row => row.phase === phase && SIDES.includes(String(row.side))).flatMap(row => {
        const times = timesBaseline(rows, row)

        return times == null ? [] : [{ text: `${rounded(times)} (${row.object}, ${row.side})`, times }]
      })
      const slower: Loss[] = compared.filter(({ times }) => times > 1 + NOISE)

      return slower.length === 0
        ? []
        : [`**${phase}**, ${lower(how)}, ${where} between sites: longer than Kubo with peering in ${
          extremes(slower, compared.length, 'cases, by these factors')}`]
    })
  })
}

/** How many times as long as the baseline something took. */
function timesBaseline (rows: readonly Row[], { object, phase, ...row }: Row): number | undefined {
  const ours = numberOf(row, SECONDS)
  const theirs = numberOf(find(rows, { side: BASELINE, object, phase }), SECONDS)

  return ours == null || theirs == null ? undefined : ours / theirs
}

function lower (text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
