import { DEFAULT, PLAIN } from '../../support/file-systems.ts'
import {
  BARE,
  BARE_FROM_KUBO,
  COMMAND,
  CURL,
  CURL_FROM_KUBO,
  OVER_HTTP,
  OVER_HTTP_FROM_KUBO
} from '../../support/network/command-sides.ts'
import { LIBRARY } from '../../support/network/sides.ts'
import { find, numberOf, rowsOf } from '../rows.ts'
import { atLeast, atMost } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

/** What links, servers and processors allow, by what fetches from them: the first that was measured over a link. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  [OVER_HTTP]: [BARE, CURL],
  [OVER_HTTP_FROM_KUBO]: [BARE_FROM_KUBO, CURL_FROM_KUBO]
}
const KUBO = 'Kubo'
const FLOOR = 'times the floor'

/** Fetching from another node, over links of limited rate and delay. */
export function fetchTargets (results: Results): Row[] {
  return [...overHttp(results), ...overBitswap(results), ...trees(results)]
}

/** Parts of the file over HTTP, at every link. */
function overHttp (results: Results): Row[] {
  const rows = rowsOf(results, 'network')

  return rows.filter(({ side }) => String(side) in LIMITS).flatMap(row => {
    const link = { 'Mbit/s': row['Mbit/s'], 'round trip, ms': row['round trip, ms'], MB: row.MB }
    const of = (side: string, column: string): number | undefined => numberOf(find(rows, { ...link, side }), column)
    const what = `${row.side} of ${row.MB} MB over ${row['Mbit/s']} Mbit/s and ${row['round trip, ms']} ms`
    // there, the processor takes longer than the link
    const isFastest = row['Mbit/s'] === 1000 && row['round trip, ms'] === 2
    const seconds = numberOf(row, 'seconds')
    const others = [PLAIN, KUBO].flatMap(side => of(side, 'seconds') ?? [])
    const limit = LIMITS[row.side].map(side => of(side, FLOOR)).find(times => times != null)

    return [
      atMost(`${what}: times the floor`, isFastest ? 1.25 : 1.1, numberOf(row, FLOOR), limit),
      ...Number(row['Mbit/s']) < 50 || seconds == null || others.length === 0
        ? []
        : [atLeast(`${what}: times the speed of plain Helia and of Kubo`, 2.5, Math.min(...others) / seconds)]
    ]
  })
}

/** The whole file from a daemon, and by the library over Bitswap. */
function overBitswap (results: Results): Row[] {
  const rows = rowsOf(results, 'network', 1)
  const ratio = numberOf(rowsOf(results, 'storage').at(-1), DEFAULT)

  return [COMMAND, LIBRARY].flatMap(side => {
    const fetch = find(rows, { side })

    return [
      atMost(`fetch over 50 Mbit/s and 50 ms, ${side}: times the floor`, 1.25, numberOf(fetch, FLOOR)),
      atLeast(
        `fetch over 50 Mbit/s and 50 ms, ${side}: times plain Helia's speed, 0.8 / ratio`,
        ratio == null ? 0 : 0.8 / ratio,
        numberOf(fetch, 'times as fast')
      )
    ]
  })
}

/** A tree of small files. */
function trees (results: Results): Row[] {
  return rowsOf(results, 'network', 2).filter(({ side }) => String(side).includes('--gateway')).map(
    row => atMost(`${row.side}, small files over 50 Mbit/s and 50 ms: times the floor`, 1.5, numberOf(row, FLOOR))
  )
}
