import { DEFAULT } from '../support/file-systems.ts'
import { COMMAND } from '../support/network/command-sides.ts'
import { find, numberOf, rowsOf } from './rows.ts'
import type { Row } from '../benchmark.ts'
import type { Chart } from './chart.ts'
import type { Results } from './rows.ts'

/** All measurements in one chart: how many times as fast as plain Helia. */
export function overview (results: Results): Chart {
  const bars = toBars(results)
    .flatMap(([name, times]): Array<[string, number]> => times == null ? [] : [[name, times]])
    .toSorted((a, b) => b[1] - a[1])

  return {
    title: 'IPFSz with zstd 3, times as fast as plain Helia',
    unit: 'times as fast',
    kind: 'bar',
    horizontal: true,
    log: true,
    reference: 1,
    categories: bars.map(([name]) => name),
    series: [{ name: 'times as fast', values: bars.map(([, times]) => times) }]
  }
}

function toBars (results: Results): Array<[name: string, times: number | undefined]> {
  const TIMES = 'times as fast'
  const of = (name: string, table: number, column: string, values: Row): number | undefined =>
    numberOf(find(rowsOf(results, name, table), values), column)
  const disk = { store: 'fs', side: DEFAULT }
  const page = { store: 'IndexedDB', side: DEFAULT }
  const fast = { 'Mbit/s': 1000, side: COMMAND }
  const trees = rowsOf(results, 'tree')
    .filter(({ side }) => side === 'ipfsz')
    .map(row => Number(row['add, times as fast']))

  return [
    ['read 1 GB from disk', of('local', 0, TIMES, { ...disk, MB: 1000, what: 'cat' })],
    ['read 100 MB from disk', of('local', 0, TIMES, { ...disk, MB: 100, what: 'cat' })],
    ['read 100 MB from memory', of('local', 0, TIMES, { store: 'memory', side: DEFAULT, MB: 100, what: 'cat' })],
    ['read 4 KiB at a random place', of('random', 0, TIMES, { side: 'ipfsz, frames of 4096 KiB' })],
    ['add 100 MB to disk', of('local', 0, TIMES, { ...disk, MB: 100, what: 'add' })],
    ['add 1 MB to disk', of('local', 0, TIMES, { ...disk, MB: 1, what: 'add' })],
    ['add a directory of small files', trees.length === 0 ? undefined : Math.min(...trees)],
    ['fetch over 50 Mbit/s, 50 ms', of('network', 1, TIMES, { side: COMMAND })],
    ['fetch over 1 Gbit/s, 2 ms', of('network', 0, TIMES, { ...fast, 'round trip, ms': 2 })],
    ['fetch over 1 Gbit/s, 150 ms', of('network', 0, TIMES, { ...fast, 'round trip, ms': 150 })],
    ['add in a page, IndexedDB', of('browser', 0, 'add, times as fast', page)],
    ['read in a page, IndexedDB', of('browser', 0, 'cat, times as fast', page)]
  ]
}
