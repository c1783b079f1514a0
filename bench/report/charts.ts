import {
  DEFAULT as DATASET_DEFAULT,
  PLAIN as DATASET_PLAIN,
  RANGES as DATASET_RANGES
} from '../support/datasets/sides.ts'
import { DEFAULT, PLAIN } from '../support/file-systems.ts'
import { LINKS } from '../support/paper.ts'
import { distinct, find, numberOf, rowsOf } from './rows.ts'
import type { Row } from '../benchmark.ts'
import type { Chart, Series } from './chart.ts'
import type { Results } from './rows.ts'

/** Charts of a benchmark, by the name of the file. */
type Charts = Record<string, Chart>

/** The sides of the chart of databases. */
const DATASET_SIDES = [DATASET_PLAIN, DATASET_RANGES, DATASET_DEFAULT].map(({ side }) => side)

/** How the figures of each benchmark are drawn. */
export const CHARTS: Readonly<Record<string, (results: Results) => Charts>> = {
  storage: results => ({
    storage: columns(
      'Stored bytes by file and codec',
      'stored / original',
      rowsOf(results, 'storage'),
      'file',
      [DEFAULT, 'ipfsz, zstd 1', 'ipfsz, gzip 6', 'ipfsz, lz4', 'ipfsz, brotli 4', 'zstd -3, whole file']
    ),
    ...(results.get('storage')?.tables.length ?? 0) < 3
      ? {}
      : {
        'storage-paper': columns(
          'The paper\'s Table 4 and ours',
          'stored / original',
          rowsOf(results, 'storage', 1),
          'data set of the paper',
          ['gzip, paper', 'gzip, here', 'lz4, paper', 'lz4, here', 'zstd, paper', 'zstd, here']
        )
      }
  }),

  local: results => ({
    local: localChart(rowsOf(results, 'local').filter(row => row.MB === 100))
  }),

  network: results => {
    const rows = rowsOf(results, 'network')

    return {
      network: linkChart(
        'Fetching over a link',
        'MB of the file a second',
        rows,
        row => divide(numberOf(row, 'MB'), numberOf(row, 'seconds')),
        { log: true }
      ),
      'network-floor': linkChart(
        'Fetching, against (stored bytes) / rate + 3 round trips',
        'times the floor',
        rows,
        row => numberOf(row, 'times the floor'),
        { reference: 1, log: true }
      )
    }
  },

  datasets: results => ({
    datasets: grouped(
      'What queries of a SQLite database fetch',
      'MB',
      rowsOf(results, 'datasets').filter(({ side }) => DATASET_SIDES.includes(String(side))),
      'reading',
      'side',
      'MB',
      true
    )
  }),

  bypass: results => ({
    bypass: columns(
      'Adding what is compressed already',
      'times as fast',
      rowsOf(results, 'bypass'),
      'file',
      ['add: times as fast as plain', 'add: times as fast as detection off'],
      1,
      true
    )
  }),

  random: results => ({
    random: columns(
      'Reading 4 KiB at a random place',
      'ms, median',
      rowsOf(results, 'random'),
      'side',
      ['ms, median'],
      undefined,
      true
    ),
    'random-bytes': columns(
      'What is read for 4 KiB at a random place',
      'KiB a read',
      rowsOf(results, 'random'),
      'side',
      ['KiB a read'],
      undefined,
      true
    )
  }),

  tree: results => ({
    tree: grouped(
      'Many small files',
      'stored / original',
      rowsOf(results, 'tree'),
      'tree',
      'side',
      'stored / original'
    ),
    'tree-read': grouped(
      'Reading one of many small files',
      'ms',
      rowsOf(results, 'tree'),
      'tree',
      'side',
      'read one, ms',
      true
    )
  }),

  versions: results => ({
    versions: grouped(
      'Releases of a file',
      'stored / original',
      rowsOf(results, 'versions'),
      'series',
      'side',
      'stored / original'
    )
  }),

  links: results => {
    const rows = rowsOf(results, 'links')

    return {
      links: {
        title: '1000 links between original and compressed CIDs',
        unit: 'ms',
        kind: 'bar',
        log: true,
        categories: ['the paper', ...rows.map(({ datastore }) => `here, datastore-${datastore}`)],
        series: [
          { name: 'make', values: [LINKS.update, ...rows.map(row => numberOf(row, 'make, ms') ?? null)] },
          {
            name: 'open and read in a new process',
            values: [LINKS.recovery, ...rows.map(row => numberOf(row, 'open and read, ms') ?? null)]
          }
        ]
      }
    }
  },

  memory: results => ({
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
  }),

  browser: results => ({
    browser: columns(
      'In a page, on IndexedDB',
      'MB/s',
      rowsOf(results, 'browser').filter(row => row.store === 'IndexedDB'),
      'side',
      ['add, MB/s', 'cat, MB/s'],
      undefined,
      true
    )
  }),

  codecs: results => ({
    codecs: {
      title: 'Codecs in Node, one frame at a time, each level a point',
      unit: 'stored / original',
      kind: 'line',
      x: 'MB compressed a second',
      series: distinct(rowsOf(results, 'codecs'), 'codec').map(
        codec => ({
          name: String(codec),
          values: codecPoints(rowsOf(results, 'codecs').filter(row => row.codec === codec))
        })
      )
    }
  })
}

/** Bars of several columns, next to each other for each row. */
function columns (
  title: string,
  unit: string,
  rows: readonly Row[],
  category: string,
  names: string[],
  reference?: number,
  log = false
): Chart {
  return {
    title,
    unit,
    kind: 'bar',
    log,
    categories: rows.map(row => String(row[category]).replace(/^.*\//, '')),
    series: names.map(name => ({ name, values: rows.map(row => numberOf(row, name) ?? null) })),
    ...reference == null ? {} : { reference }
  }
}

/** Bars of one column, next to each other for each value of another column. */
function grouped (
  title: string,
  unit: string,
  rows: readonly Row[],
  category: string,
  series: string,
  column: string,
  log = false
): Chart {
  const categories = distinct(rows, category)

  return {
    title,
    unit,
    kind: 'bar',
    log,
    categories: categories.map(String),
    series: distinct(rows, series).map(
      name => ({
        name: String(name),
        values: categories.map(value => numberOf(find(rows, { [category]: value, [series]: name }), column) ?? null)
      })
    )
  }
}

function localChart (rows: readonly Row[]): Chart {
  const sides = rows.filter(({ what, side }) => what === 'add' && side !== PLAIN)

  return {
    title: 'A file of 100 MB, against plain Helia on the same store (Kubo: on files)',
    unit: 'times as fast',
    kind: 'bar',
    reference: 1,
    categories: sides.map(({ side, store }) => store === 'flatfs' ? String(side) : `${side}, ${store}`),
    series: ['add', 'cat'].map(
      (what): Series => ({
        name: what,
        values: sides.map(({ side, store }) => numberOf(find(rows, { what, side, store }), 'times as fast') ?? null)
      })
    )
  }
}

function linkChart (
  title: string,
  unit: string,
  rows: readonly Row[],
  value: (row: Row | undefined) => number | undefined,
  more: Pick<Chart, 'log' | 'reference'>
): Chart {
  const links = rows.filter((row, i) => rows.findIndex(other => isSameLink(other, row)) === i)

  return {
    title,
    unit,
    kind: 'bar',
    ...more,
    categories: links.map(row => `${row['Mbit/s']} Mbit/s, ${row['round trip, ms']} ms`),
    series: distinct(rows, 'side').map(
      side => ({
        name: String(side),
        values: links.map(link => value(rows.find(row => isSameLink(row, link) && row.side === side)) ?? null)
      })
    )
  }
}

function isSameLink (a: Row, b: Row): boolean {
  return a['Mbit/s'] === b['Mbit/s'] && a['round trip, ms'] === b['round trip, ms']
}

/** The levels of the fastest implementation of a codec. */
function codecPoints (rows: readonly Row[]): Series['values'] {
  const { runs } = rows[0]

  return rows.filter(row => row.runs === runs).toSorted((a, b) => Number(a.level) - Number(b.level)).flatMap(row => {
    const speed = numberOf(row, 'Node, compress MB/s')

    return speed == null ? [] : [[speed, Number(row.ratio)] as [number, number]]
  })
}

function divide (a: number | undefined, b: number | undefined): number | undefined {
  return a == null || b == null ? undefined : Number((a / b).toPrecision(3))
}
