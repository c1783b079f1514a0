import { COMMAND } from '../../support/file-systems.ts'
import { FLOOR } from '../../support/floor/names.ts'
import { find, numberOf } from '../rows.ts'
import { floorRows } from './floor.ts'
import { atLeast, atMost } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

/** The command against Kubo, and against a Node program that does nothing but what cannot be left out: the limit. */
export function commandTargets (results: Results): Row[] {
  const rows = floorRows(results)

  return [100, 1000].flatMap(MB => ['add', 'cat'].flatMap(what => {
    const of = (side: string, column: string): number | undefined => numberOf(find(rows, { MB, what, side }), column)
    const both = (column: string): [number | undefined, number | undefined] => [of(COMMAND, column), of(FLOOR, column)]

    return [
      ...what === 'add'
        ? [atLeast(`ipfsz add of ${MB} MB: share of the speed of the floor`, 0.9, of(COMMAND, 'share of the floor'), 1)]
        : [],
      atLeast(
        `ipfsz ${what} of ${MB} MB: times the speed of Kubo, which does not compress`,
        1,
        ...both('times Kubo\'s speed')
      ),
      atMost(
        `ipfsz ${what} of ${MB} MB: times the processor time of Kubo with zstd -3 piped`,
        1,
        ...both('CPU, times Kubo\'s with zstd')
      ),
      ...MB === 1000 ? [atMost(`ipfsz ${what} of ${MB} MB: peak memory, MB`, 180, ...both('peak MB'))] : []
    ]
  }))
}
