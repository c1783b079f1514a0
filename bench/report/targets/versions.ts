import { find, numberOf, rowsOf } from '../rows.ts'
import { smallAddTargets } from './floor.ts'
import { atLeast, atMost } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

const ALONE = 'ipfsz'
const BASE = 'ipfsz, with a base'
const DICTIONARIES = 'ipfsz, dictionaries'

/** How much larger than one archive a tree may be, stored as files with dictionaries. */
const ARCHIVE: Readonly<Record<string, number>> = { jquery: 1.5, rfc: 1.08 }

/** Many small files. */
export function treeTargets (results: Results): Row[] {
  const rows = rowsOf(results, 'tree')
  const added = new Set(rows.map(({ tree }) => tree))
  const stored = (tree: string, side: string): number | undefined =>
    numberOf(find(rows, { tree, side }), 'stored / original')

  return [
    ...Object.entries(ARCHIVE).map(([tree, target]) => {
      const [ours, archive] = [DICTIONARIES, 'one .tar.zst'].map(side => stored(tree, side))

      return atMost(
        `stored bytes of ${tree}, ${DICTIONARIES}: times those of one archive`,
        target,
        ours == null || archive == null ? undefined : ours / archive
      )
    }),
    ...rows.filter(({ side }) => side === DICTIONARIES).map(row => {
      const blocks = numberOf(row, 'read one, blocks')
      const plain = numberOf(find(rows, { tree: row.tree, side: 'plain Helia' }), 'read one, blocks')

      return atMost(
        `read one file of ${row.tree}, ${DICTIONARIES}: blocks more than plain Helia reads`,
        2,
        blocks == null || plain == null ? undefined : blocks - plain
      )
    }),
    ...smallAddTargets(results, input => added.has(input))
  ]
}

/** Releases of a file. */
export function versionTargets (results: Results): Row[] {
  const rows = rowsOf(results, 'versions')
  const typescript = find(rows, { series: 'typescript.js', side: BASE })

  return [
    atMost('a later release of typescript.js with a base: KiB', 16, numberOf(typescript, 'each later, KiB')),
    ...rows.filter(({ side }) => side === BASE).flatMap(row => {
      const alone = find(rows, { series: row.series, side: ALONE })
      const against = (what: string): number | undefined => {
        const [with_, without] = [row, alone].map(of => numberOf(of, `${what}, ms`))

        return with_ == null || without == null ? undefined : without / with_
      }

      return [
        atLeast(`add a later release of ${row.series} with a base: times the speed without`, 0.5,
          against('add the later')),
        atLeast(`read a release of ${row.series} with a base: times the speed without`, 0.7, against('read the last'))
      ]
    })
  ]
}
