import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readResult } from '../support/results.ts'
import type { Row } from '../benchmark.ts'

const ROOT = join(import.meta.dirname, '../..')
const FAQ = 'docs/faq.md'
const BLOCKSTORE = 'packages/blockstore-compressed/README.md'

/** Figures that documents repeat: where, in which words, and in which words docs/benchmarks.md has them. */
const QUOTES: ReadonlyArray<readonly [document: string, quoted: RegExp, measured: RegExp]> = [
  ['README.md', /shrink to (\d+ %) of their size/, /\*\*Stored bytes\*\*: (\d+ %)/],
  ['README.md', /100 MB reads from disk ([\d.]+) times/, /\*\*Reading from disk\*\*: [\d.]+, ([\d.]+) and/],
  [FAQ, /shrink to (\d+ %) with IPFSz/, /\*\*Stored bytes\*\*: (\d+ %)/],
  [FAQ, /`ipfsz cat --gateway URL`.*\| ([\d.]+) s \| ([\d.]+) s/, twoLinks(/([\d.]+) s from a gateway/)],
  [FAQ, /`ipfsz cat`, from a peer \| ([\d.]+) s \| ([\d.]+) s/, twoLinks(/([\d.]+) s with the `ipfsz` command/)],
  [FAQ, /zstd -dc`, from a peer.*\| ([\d.]+) s \| ([\d.]+) s/, twoLinks(/([\d.]+) s with Kubo and `zstd` by hand/)],
  [FAQ, /with `zstd` is faster on (\d+ of \d+)/, /arrives sooner with Kubo and `zstd` by hand over (\d+ of \d+)/],
  [FAQ, /4 KiB at a random offset takes ([\d.]+ ms).* ([\d.]+ ms) from a `.zst`/, random('4 MiB', 'a `.zst`')],
  [
    FAQ,
    /adding a directory of them takes \[([\d.]+ to [\d.]+) times\]/,
    /adding a directory of them takes ([\d.]+ to [\d.]+) times/
  ],
  [
    FAQ,
    /a directory of such files takes \[([\d.]+ to [\d.]+) times\]/,
    /a directory takes up ([\d.]+ to [\d.]+) times/
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
  ],
  [BLOCKSTORE, /Writing takes ([\d.]+ to [\d.]+ times)/, /an FsBlockstore\*\*: writing takes ([\d.]+ to [\d.]+ times)/],
  [
    BLOCKSTORE,
    /page cache, takes ([\d.]+ to [\d.]+ times)/,
    /an FsBlockstore\*\*: .*or from the cache, takes ([\d.]+ to [\d.]+ times)/
  ]
]

/** The same figure of the two links that docs/benchmarks.md shows. */
function twoLinks ({ source }: RegExp): RegExp {
  return new RegExp(`at 50 Mbit/s.*?${source}.*\\n.*at 1 Gbit/s.*?${source}`)
}

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

it.each([
  ['tables', 'paper'],
  ['text, binaries', 'silesia']
])('%s take up what was measured, with each codec', (line, files) => {
  const [head, , ...lines] = tableWith('| zstd 3 |')
  const measured = rowsOf('Blocks of 1 MiB')
  const stored = head.slice(1).map(codec => measured.find(
    row => row.files === files && row.side === `SharedFsBlockstore, ${codec}, length`
  )?.ratio)

  expect(lines.find(([name]) => name === line)?.slice(1).map(Number)).toEqual(stored)
})

it('small blocks gain as much as was measured', () => {
  const [sizes, , gains, ratios] = tableWith('| bytes per block |').map(cells => cells.slice(1))
  const measured = rowsOf('Small blocks')

  expect(sizes.map(size => Number(size.replace(',', '')))).toEqual(measured.map(row => row['bytes in a block']))
  expect(gains).toEqual(measured.map(row => `${row['gain, %']} %`))
  expect(ratios.map(Number)).toEqual(measured.map(({ ratio }) => ratio))
})

/** The cells of a table in the README of the CompressedBlockstore. Its second row is the line below the heads. */
function tableWith (head: string): string[][] {
  const paragraphs = readFileSync(join(ROOT, BLOCKSTORE), 'utf8').split('\n\n')

  return paragraphs.find(text => text.startsWith('|') && text.includes(head))?.split('\n').map(
    row => row.split('|').slice(1, -1).map(cell => cell.trim())
  ) ?? []
}

function rowsOf (title: string): readonly Row[] {
  const tables = readResult(join(ROOT, 'bench/results'), 'blockstore')?.tables ?? []

  return tables.find(table => table.title.startsWith(title))?.rows ?? []
}
