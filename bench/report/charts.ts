import { DEFAULT, PLAIN } from '../support/file-systems.ts'
import { COMMAND } from '../support/network/command-sides.ts'
import { distinct, find, numberOf, rowsOf } from './rows.ts'
import type { Row } from '../benchmark.ts'
import type { Chart } from './chart.ts'
import type { Results } from './rows.ts'

/** The charts of docs/benchmarks.md, by the name of the file. */
export function charts (results: Results): Record<string, Chart> {
  const links = rowsOf(results, 'network')
  const firsts = links.filter((row, i) => links.findIndex(other => isSameLink(other, row)) === i)

  return {
    overview: overview(results),
    network: {
      title: 'Fetching over a link',
      unit: 'MB of the file a second',
      kind: 'bar',
      log: true,
      categories: firsts.map(row => `${row['Mbit/s']} Mbit/s, ${row['round trip, ms']} ms`),
      series: distinct(links, 'side').map(side => ({
        name: String(side),
        values: firsts.map(link => {
          const row = links.find(row => isSameLink(row, link) && row.side === side)
          const [MB, seconds] = [numberOf(row, 'MB'), numberOf(row, 'seconds')]

          return MB == null || seconds == null ? null : MB / seconds
        })
      }))
    },
    memory: {
      title: 'Memory against the size of a file',
      unit: 'most resident MB',
      kind: 'line',
      x: 'MB of the file',
      series: [PLAIN, DEFAULT].flatMap(side => ['add', 'cat'].map(what => ({
        name: `${side}, ${what}`,
        values: rowsOf(results, 'memory').filter(row => row.side === side && numberOf(row, `${what}, MB`) != null).map(
          row => [Number(row.MB), Number(row[`${what}, MB`])] as [number, number]
        )
      })))
    }
  }
}

function isSameLink (a: Row, b: Row): boolean {
  return a['Mbit/s'] === b['Mbit/s'] && a['round trip, ms'] === b['round trip, ms']
}

/** All measurements in one chart: how many times as fast as plain Helia. */
function overview (results: Results): Chart {
  const TIMES = 'times as fast'
  const of = (name: string, table: number, values: Row): number | undefined =>
    numberOf(find(rowsOf(results, name, table), values), TIMES)
  const disk = { store: 'fs', side: DEFAULT }
  const fast = { 'Mbit/s': 1000, side: COMMAND }
  const trees = rowsOf(results, 'folder', 1)
    .filter(({ side }) => side === 'ipfsz')
    .map(row => Number(row['add, times as fast']))
  const all: Array<[name: string, times: number | undefined]> = [
    ['read 1 GB from disk', of('local', 0, { ...disk, MB: 1000, what: 'cat' })],
    ['read 100 MB from disk', of('local', 0, { ...disk, MB: 100, what: 'cat' })],
    ['read 100 MB from memory', of('local', 0, { store: 'memory', side: DEFAULT, MB: 100, what: 'cat' })],
    ['read 4 KiB at a random place', of('random', 0, { side: 'ipfsz, frames of 4096 KiB' })],
    ['add 100 MB to disk', of('local', 0, { ...disk, MB: 100, what: 'add' })],
    ['add 1 MB to disk', of('local', 0, { ...disk, MB: 1, what: 'add' })],
    ['add a directory of small files', trees.length === 0 ? undefined : Math.min(...trees)],
    ['fetch over 50 Mbit/s, 50 ms', of('network', 1, { side: COMMAND })],
    ['fetch over 1 Gbit/s, 2 ms', of('network', 0, { ...fast, 'round trip, ms': 2 })],
    ['fetch over 1 Gbit/s, 150 ms', of('network', 0, { ...fast, 'round trip, ms': 150 })]
  ]
  const bars = all.flatMap(([name, times]): Array<[string, number]> => times == null ? [] : [[name, times]])
    .toSorted((a, b) => b[1] - a[1])

  return {
    title: 'IPFSz with zstd 3, times as fast as plain Helia',
    unit: TIMES,
    kind: 'bar',
    horizontal: true,
    log: true,
    reference: 1,
    categories: bars.map(([name]) => name),
    series: [{ name: TIMES, values: bars.map(([, times]) => times) }]
  }
}
