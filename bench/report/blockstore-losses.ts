import { FLOOR } from '../support/floor/names.ts'
import { extremes, isLess } from './loss.ts'
import { numberOf, rowsOf } from './rows.ts'
import { line, range, slowdowns, some } from './words.ts'
import type { Row } from '../benchmark.ts'
import type { Results } from './rows.ts'

function isDefault ({ side }: Row): boolean {
  return /zstd \d+, hash$/.test(String(side))
}

function isFloor ({ side }: Row): boolean {
  return side === FLOOR
}

/** For the page of the benchmark. */
export function fromBlockstore (results: Results): string[] {
  const all = rowsOf(results, 'blockstore')

  return [...Map.groupBy(all.filter(isDefault), ({ what }) => String(what))].flatMap(([what, rows]) => {
    const slow = rows.filter(row => isLess(row, 'times as fast')).map(
      row => ({
        text: `${row.side} with blocks of ${row.files} (${row['times as fast']})`,
        times: 1 / (numberOf(row, 'times as fast') ?? 1)
      })
    )
    const floor = valuesOf(all.filter(row => isFloor(row) && row.what === what), 'times as fast')
    const reached = valuesOf(rows, 'share of the floor')

    return slow.length === 0 ? [] : [
      `**a CompressedBlockstore** with default options, ${what}: ` +
      `slower than an FsBlockstore alone in ${extremes(slow, rows.length, 'rows')}.` +
      (floor == null || reached == null ? '' : ` The floor has ${floor}, and the store reaches ${reached} of it.`)
    ]
  })
}

/** For the front page. */
export function blockstoreLosses (results: Results): string[] {
  const all = rowsOf(results, 'blockstore')
  const times = (isOne: (row: Row) => boolean, isPut: boolean): string | undefined => range(slowdowns(
    all.filter(row => isOne(row) && String(row.what).startsWith('put') === isPut)
      .map(row => numberOf(row, 'times as fast'))
  ))
  const beside = (isPut: boolean, what: string): string =>
    some(times(isFloor, isPut), least => ` (${what} alone: ${least} times)`).join('')

  return line('Blocks compressed at rest, against an FsBlockstore', 'blockstore', [
    ...some(times(isDefault, true), longer => (
      `writing takes ${longer} times as long${beside(true, 'compressing and writing')}`
    )),
    ...some(times(isDefault, false), longer => (
      `reading from a fast disk, or from the cache, takes ${longer} times as long` +
      beside(false, 'reading, decompressing and hashing')
    ))
  ])
}

function valuesOf (rows: readonly Row[], column: string): string | undefined {
  return range(rows.flatMap(row => numberOf(row, column) ?? []))
}
