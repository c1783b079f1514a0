import { sum } from '../../benchmark.ts'
import { find, numberOf } from '../rows.ts'
import { atMost } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

/** Nodes with stores of their own: the fair baseline. */
export const OWN = 'Kubo, own stores, peering in the site'
const OURS = /^ipfsz.* shared directory$/
/** Files written to the same directory, by who neither hashes nor compresses: no write through an API takes less. */
const BARE = 'bare writes, shared directory'
const SECONDS = 'seconds, median'
const BYTES = 'MB between sites, of 100 objects'

/** Where each node has a machine of its own, as the paper measured. */
const PLACE = /^One object at a time.* 50 ms between sites/

/** How a site's own objects are read: half of the reads by each, whichever nodes the seeds chose. */
const LOCAL_READS = ['read in the site, by the node that wrote it', 'read in the site, by another node']

/** Through the API of a node, or by a command: each is compared with the same of the baseline. */
const WRITES = ['write', 'write by a command']

export function siteRows (results: Results): readonly Row[] {
  return results.get('site')?.tables.find(({ title }) => PLACE.test(title))?.rows ?? []
}

/** Nodes of a site that share one directory, against nodes with stores of their own. */
export function siteTargets (results: Results): Row[] {
  const rows = siteRows(results)

  return rows.filter(({ side, phase }) => OURS.test(String(side)) && WRITES.includes(String(phase))).flatMap(row => {
    const { side, object } = row
    const write = String(row.phase)
    const of = (who: unknown, phase: string, column: string): number | undefined =>
      numberOf(find(rows, { side: who as string, object, phase }), column)
    const seconds = (who: unknown, phases: readonly string[]): number =>
      sum(phases.map(phase => of(who, phase, SECONDS) ?? NaN))
    const ratio = (phases: readonly string[], who: unknown = side): number | undefined => {
      const times = seconds(who, phases) / seconds(OWN, phases)

      return Number.isNaN(times) ? undefined : times
    }
    const what = `${side}, ${object}`

    return [
      atMost(
        `${what}, ${write}: times the seconds of nodes with own stores`,
        1.05,
        ratio([write]),
        ratio([write], BARE)
      ),
      atMost(
        `${what}, read in the site, half of it by the node that wrote it: times the seconds of nodes with own stores`,
        0.66,
        ratio(LOCAL_READS)
      ),
      atMost(`${what}, read in the site: MB between sites, of 100 objects`, 0.02, of(side, 'read in the site', BYTES)),
      atMost(
        `${what}, read from another site: times the bytes stored`,
        1.05,
        of(side, 'read from another site', 'times the bytes stored')
      )
    ]
  })
}
