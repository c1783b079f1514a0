import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

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
    FAQ,
    /a directory of such files takes \[([\d.]+ to [\d.]+) times\]/,
    /a directory takes up ([\d.]+ to [\d.]+) times/
  ],
  [
    'docs/guide/site.md',
    /with `--base`, ([\d.]+ to [\d.]+) KiB are new in the CAR.* and ([\d.]+ to [\d.]+) KiB from `ipfsz gateway`/,
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
