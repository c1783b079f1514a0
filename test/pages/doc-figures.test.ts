/** @module-tag long */
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildPage } from '../../examples/web-app/build.ts'
import { BUNDLERS, ONE_FILE_BUNDLERS } from '../support/bundles.ts'

const ROOT = join(import.meta.dirname, '../..')
/** How far a figure may be from what is built, as a part of it: a document is not rewritten for each line of code. */
const TOLERANCE = 0.05
const UNITS: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, KiB: 1024 }
const WORKER = join(ROOT, 'packages/cli/bundle/worker.bundle.js')
const BLOCKSTORE = "export * from '@ipfsz/blockstore-compressed'"

/** The figures of a document, in bytes, which a pattern with groups of number and unit finds. */
async function figuresOf (path: string, pattern: RegExp): Promise<number[]> {
  const groups = [...pattern.exec(await readFile(join(ROOT, path), 'utf8')) ?? []].slice(1)

  return groups.flatMap((group, i) => i % 2 === 0 ? [Number(group) * UNITS[groups[i + 1]]] : [])
}

function expectNear (figures: number[], built: number[]): void {
  expect(figures).toHaveLength(built.length)
  expect(figures.filter((figure, i) => Math.abs(figure / built[i] - 1) > TOLERANCE)
    .map(figure => [figure, built])).toEqual([])
}

describe('the figures of documents are those of what is built', () => {
  it('of the worker of a site', async () => {
    const { size } = await stat(WORKER)
    const gzipped = gzipSync(await readFile(WORKER)).byteLength

    expectNear(await figuresOf('docs/guide/site.md', /including ([\d.]+) (\w+) for the service worker/), [size])
    expectNear(
      await figuresOf('docs/guide/site.md', /The worker has about ([\d.]+) (\w+), or ([\d.]+) (\w+) at gateways/),
      [size, gzipped]
    )
  })

  it('of the demo', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-figures-'))
    onTestFinished(async () => rm(directory, { recursive: true }))
    await buildPage(directory)
    const { start, codecs, network, all } = JSON.parse(await readFile(join(directory, 'cost.json'), 'utf8'))

    expectNear(
      await figuresOf(
        'examples/web-app/README.md',
        /about ([\d.]+) (\w+) to start, ([\d.]+) (\w+) for zstd on first use, ([\d.]+) (\w+) for the network/
      ),
      [start, codecs.zstd, network]
    )
    expectNear(await figuresOf('examples/web-app/README.md', /caches everything: ([\d.]+) (\w+)/), [all])
  })

  it('of a bundle with compressed blocks', async () => {
    const whole = await ONE_FILE_BUNDLERS.esbuild(BLOCKSTORE)
    const split = await BUNDLERS.esbuild(BLOCKSTORE)
    onTestFinished(async () => {
      await Promise.all([whole, split].map(async ({ directory }) => rm(directory, { recursive: true })))
    })
    const bytes = await readFile(join(whole.directory, 'main.js'))

    expectNear(
      await figuresOf(
        'packages/blockstore-compressed/README.md',
        /a page loads ([\d.]+) (\w+) at once.* contains all codecs: ([\d.]+) (\w+), ([\d.]+) (\w+) gzipped/
      ),
      [entrySize(split.directory), bytes.byteLength, gzipSync(bytes).byteLength]
    )
  })
})

/** What a page loads at once: the entry, and the files that it imports, in turn. */
function entrySize (directory: string): number {
  const files = new Set(['main.js'])

  for (const file of files) {
    const text = readFileSync(join(directory, file), 'utf8')

    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
      files.add(name)
    }
  }

  expect(globSync('*.js', { cwd: directory }).length).toBeGreaterThan(files.size)

  return [...files].reduce((sum, file) => sum + readFileSync(join(directory, file)).byteLength, 0)
}
