import { DEFAULT } from '../../support/file-systems.ts'
import { FLOOR } from '../../support/floor/names.ts'
import { find, numberOf, rowsOf } from '../rows.ts'
import { commandTargets } from './commands.ts'
import { againstFloor, smallAddTargets } from './floor.ts'
import { atLeast, atMost } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

const FAST = 'times as fast'

/** Adding and reading on one machine: on disk, in memory, in a page. */
export function localTargets (results: Results): Row[] {
  return [
    ...addTargets(results),
    ...readTargets(results),
    ...commandTargets(results),
    ...pageTargets(results),
    ...memoryTargets(results),
    atMost(
      `stored bytes, ${DEFAULT}: times those of whole-file zstd -3`,
      1.01,
      quotient(
        numberOf(rowsOf(results, 'storage').at(-1), DEFAULT),
        numberOf(rowsOf(results, 'storage').at(-1), 'zstd -3, whole file')
      )
    ),
    atMost(
      '`ipfsz add` of 15 kB from a cold start: milliseconds',
      250,
      numberOf(find(rowsOf(results, 'start'), { what: 'add', side: 'ipfsz' }), 'ms, median')
    )
  ]
}

/** Adding a large file in pieces of different sizes, and a file of 1 MB. */
function addTargets (results: Results): Row[] {
  const targets = [[3, 1024, 1.1], [1, 1024, 1.5], [3, 64, 1.5]] as const

  return [
    ...targets.map(([zstd, source, target]) => againstFloor(
      results,
      `add a large file in pieces of ${source} KiB, zstd ${zstd}: times plain Helia's speed`,
      target,
      { zstd, 'source, KiB': source }
    )),
    ...smallAddTargets(results, input => input === 'a file of 1 MB')
  ]
}

/** Reading from disk and from memory. */
function readTargets (results: Results): Row[] {
  const targets = [[100, 'fs', 3.5], [100, 'memory', 0.9], [1, 'memory', 0.9]] as const
  const fromLevel = (side: string): number | undefined =>
    numberOf(find(rowsOf(results, 'local'), { MB: 1, store: 'level', what: 'cat', side }), FAST)

  return [
    ...targets.map(([MB, store, target]) => againstFloor(
      results,
      `cat ${MB} MB from ${store}, ${DEFAULT}: times plain Helia's speed`,
      target,
      { bytes: MB * 1e6, store }
    )),
    atLeast(`cat 1 MB from level, ${DEFAULT}: times plain Helia's speed`, 0.9, fromLevel(DEFAULT), fromLevel(FLOOR))
  ]
}

function pageTargets (results: Results): Row[] {
  const rows = rowsOf(results, 'browser')
  const of = (side: string): number | undefined => numberOf(find(rows, { store: 'memory', side }), `cat, ${FAST}`)

  return [
    atLeast(`cat 16 MB from memory in a page, ${DEFAULT}: times plain Helia's speed`, 0.7, of(DEFAULT), of(FLOOR))
  ]
}

function memoryTargets (results: Results): Row[] {
  const rows = rowsOf(results, 'memory')

  const of = (side: string, what: string): number | undefined =>
    numberOf(find(rows, { MB: 1000, side }), `${what}, MB`)

  return ['add', 'cat'].map(what => atMost(
    `${what} 1 GB, ${DEFAULT}, by the library in the benchmark's process: peak memory, MB`,
    180,
    of(DEFAULT, what),
    of(FLOOR, what)
  ))
}

function quotient (a: number | undefined, b: number | undefined): number | undefined {
  return a == null || b == null ? undefined : a / b
}
