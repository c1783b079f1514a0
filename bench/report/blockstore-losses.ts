import { BARE_MEMORY, FLOOR, IN_MEMORY } from '../support/floor/names.ts'
import { extremes, isLess } from './loss.ts'
import { numberOf, rowsOf, rowsUnder } from './rows.ts'
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
  return [
    ...compare(rowsOf(results, 'blockstore'), 'an FsBlockstore', ''),
    ...compare(memoryOf(results), `a ${BARE_MEMORY}`, ', in memory')
  ]
}

function memoryOf (results: Results): readonly Row[] {
  return rowsUnder(results, 'blockstore', IN_MEMORY)
}

function compare (all: readonly Row[], bare: string, where: string): string[] {
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
      `**a CompressedBlockstore** with default options, ${what}${where}: ` +
      `slower than ${bare} alone in ${extremes(slow, rows.length, 'rows')}.` +
      (floor == null || reached == null ? '' : ` The floor has ${floor}, and the store reaches ${reached} of it.`)
    ]
  })
}

/** For the front page. */
export function blockstoreLosses (results: Results): string[] {
  const files = rowsOf(results, 'blockstore')

  return line('Blocks compressed at rest, against an FsBlockstore', 'blockstore', [
    ...takesLonger(files, true, 'writing', 'compressing and writing'),
    ...takesLonger(files, false, 'reading from a fast disk, or from the cache,', 'reading, decompressing and hashing'),
    ...takesLonger(
      memoryOf(results),
      false,
      `reading from memory, where a ${BARE_MEMORY} hands over the array that it was given,`,
      'decompressing and hashing'
    )
  ])
}

function takesLonger (all: readonly Row[], isPut: boolean, what: string, floor: string): string[] {
  const rows = all.filter(row => String(row.what).startsWith('put') === isPut)

  return some(timesOf(rows.filter(isDefault)), longer => `${what} takes ${longer} times as long` + some(
    timesOf(rows.filter(isFloor)),
    least => ` (${floor} alone: ${least} times)`
  ).join(''))
}

function timesOf (rows: readonly Row[]): string | undefined {
  return range(slowdowns(rows.map(row => numberOf(row, 'times as fast'))))
}

function valuesOf (rows: readonly Row[], column: string): string | undefined {
  return range(rows.flatMap(row => numberOf(row, column) ?? []))
}
