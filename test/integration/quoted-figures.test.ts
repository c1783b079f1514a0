import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TITLES } from '../../bench/report/report.ts'
import * as codecs from '../../packages/codecs/dist/constants.js'
import * as core from '../../packages/core/dist/constants.js'
import { MAX_CAR_ROOTS } from '../../packages/node/dist/car/car-header.js'
import { MAX_CAR_SECTION_SIZE } from '../../packages/node/dist/car/car-input.js'

const ROOT = join(import.meta.dirname, '../..')
const FAQ = 'docs/faq.md'

/** Figures that documents repeat: where, in which words, and in which words docs/benchmarks.md has them. */
const QUOTES: ReadonlyArray<readonly [document: string, quoted: RegExp, measured: RegExp]> = [
  ['README.md', /programs are stored in (\d+ %)/, /\*\*Stored bytes\*\*: (\d+ %)/],
  [
    'README.md',
    /from a peer: ([\d.]+ s); with Kubo ([\d.]+ s) uncompressed/,
    /77 MB takes ([\d.]+ s) with the `ipfsz` command from a peer.* ([\d.]+ s) with Kubo,/
  ],
  [FAQ, /shrink to (\d+ %) with IPFSz/, /\*\*Stored bytes\*\*: (\d+ %)/],
  [FAQ, /with `zstd` is faster on (\d+ of \d+)/, /arrives sooner with Kubo and `zstd` by hand over (\d+ of \d+)/],
  [FAQ, /4 KiB at a random offset takes ([\d.]+ ms).* ([\d.]+ ms) from a `.zst`/, random('4 MiB', 'a `.zst`')],
  [
    'docs/guide/site.md',
    /new in the CAR, KiB \| ([\d.]+ to [\d.]+)[^]*? `ipfsz gateway --compress all`, KiB \| ([\d.]+ to [\d.]+)/,
    /its CAR has ([\d.]+ to [\d.]+) KiB of new.*fetches ([\d.]+ to [\d.]+) KiB from `ipfsz gateway`/
  ],
  [
    'docs/guide/archives-and-datasets.md',
    /many small files take \[([\d.]+ to [\d.]+) times\]/,
    /a directory takes up ([\d.]+ to [\d.]+) times/
  ],
  [
    'docs/guide/archives-and-datasets.md',
    /4 KiB at a random offset takes ([\d.]+ ms) .*, and ([\d.]+ ms) with frames of 256 KiB/,
    random('4 MiB', '256 KiB')
  ]
]

function random (...places: [string, string]): RegExp {
  const [first, second] = places.map(place => `([\\d.]+ ms) (?:with frames of|from) ${place}`)

  return new RegExp(`${first}.*?${second}`)
}

it.each(QUOTES)('%s repeats what was measured: %s', (document, quoted, measured) => {
  const figures = [[document, quoted] as const, ['docs/benchmarks.md', measured] as const].map(
    ([path, words]) => words.exec(readFileSync(join(ROOT, path), 'utf8'))?.slice(1)
  )

  expect(figures[0]).toEqual(expect.arrayContaining([expect.any(String)]))
  expect(figures[0]).toEqual(figures[1])
})

it('docs/benchmarks.md lists the eight benchmarks that have a page, each beside Kubo and restic or why not', () => {
  const [, table] = readFileSync(join(ROOT, 'docs/benchmarks.md'), 'utf8').split(/\| name \| question \|.*\n.*\n/)
  const rows = table.split('\n\n')[0].split('\n').map(row => row.split('|').map(cell => cell.trim()))

  expect(rows.map(([, name]) => name)).toEqual(Object.keys(TITLES))
  expect(rows).toHaveLength(8)
  expect(rows.flatMap(([, , , kubo, restic]) => [kubo, restic]).filter(cell => !/^(?:yes|no: .+)$/.test(cell)))
    .toEqual([])
})

it('docs/benchmarks.md names every benchmark', () => {
  const page = readFileSync(join(ROOT, 'docs/benchmarks.md'), 'utf8')
  const names = globSync('*.ts', { cwd: join(ROOT, 'bench') }).map(file => file.slice(0, -'.ts'.length))
    .filter(name => !['run', 'benchmark'].includes(name))

  expect(names.filter(name => !page.includes(`| ${name} |`) && !page.includes(`\`${name}\``))).toEqual([])
})

it('docs/limits.md has the values of the constants that it names', () => {
  const values: Record<string, unknown> = { ...codecs, ...core, MAX_CAR_ROOTS, MAX_CAR_SECTION_SIZE }
  const rows = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8').split('\n').filter(line => line.includes('| `M'))
  const named = rows.flatMap(row => [...row.matchAll(/`([A-Z_]{6,})`/g)].map(([, name]) => [name, row] as const))

  expect(named.length).toBeGreaterThan(12)
  expect(named.filter(([name, row]) => !written(values[name]).some(text => row.includes(` ${text}`)))).toEqual([])
})

/** A limit as a document may have it. */
function written (value: unknown): string[] {
  return typeof value === 'number'
    ? [value.toLocaleString('en-US'), `${value / 1024} KiB`, `${value / 1024 ** 2} MiB`]
    : []
}
