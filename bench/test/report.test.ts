import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toSvg } from '../report/chart.ts'
import { losses } from '../report/losses.ts'
import { toMarkdown } from '../report/markdown.ts'
import { writeReport } from '../report/report.ts'
import { targets } from '../report/targets.ts'
import { resultFile, writeResult } from '../support/results.ts'
import type { Row, Table } from '../benchmark.ts'
import type { Result } from '../support/results.ts'

const LOCAL: Row[] = [
  { MB: 100, store: 'fs', what: 'add', side: 'plain Helia', 'MB/s': 400, 'times as fast': 1 },
  { MB: 100, store: 'fs', what: 'add', side: 'ipfsz, zstd 3', 'MB/s': 300, 'times as fast': 0.75 },
  { MB: 100, store: 'fs', what: 'cat', side: 'plain Helia', 'MB/s': 200, 'times as fast': 1 },
  { MB: 100, store: 'fs', what: 'cat', side: 'ipfsz, zstd 3', 'MB/s': 500, 'times as fast': 2.5 }
]

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-test-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

function resultOf (name: string, tables: Table[]): Result {
  return { name, question: 'how fast', date: '2025-01-31', smoke: false, machine: '2 cores', versions: { node: '24.0.0' }, seconds: 1, tables }
}

describe('losses', () => {
  it('names what is slower, and not what is faster', () => {
    const found = losses(new Map([['local', resultOf('local', [{ title: '', rows: LOCAL }])]]))

    expect(found).to.have.lengthOf(1)
    expect(found[0]).to.include('add').and.include('0.75')
  })

  it('names fetches that failed, and those that are far above the floor', () => {
    const row = { 'Mbit/s': 10, 'round trip, ms': 50, MB: 16, side: 'ipfsz, zstd', failed: '' }
    const found = losses(new Map([['network', resultOf('network', [{ title: '', rows: [
      { ...row, seconds: '-', 'times the floor': '-', floor: 4, failed: '2 of 2: LoadBlockFailedError after 12 MB' },
      { ...row, 'Mbit/s': 50, seconds: 3, 'times the floor': 1.5, floor: 2 },
      { ...row, 'Mbit/s': 50, side: 'Kubo', seconds: 2, 'times the floor': 1, floor: 2 }
    ] }])]]))

    expect(found.filter(loss => loss.includes('LoadBlockFailedError'))).to.have.lengthOf(1)
    expect(found.filter(loss => loss.includes('Kubo is faster over 50 Mbit/s'))).to.have.lengthOf(1)
    expect(found.filter(loss => loss.includes('1 of 2 links'))).to.have.lengthOf(1)
  })
})

describe('targets', () => {
  it('says what is reached, what is not, and what was not measured', () => {
    const rows = targets(new Map([['local', resultOf('local', [{ title: '', rows: LOCAL }])]]))

    expect(rows.filter(({ reached }) => reached === 'yes').map(({ measured }) => measured)).to.deep.equal([2.5])
    expect(rows.filter(({ reached }) => reached === '**no**').map(({ measured }) => measured)).to.deep.equal([0.75])
    expect(rows.filter(({ measured }) => measured === 'not measured').length).to.be.above(0)
  })
})

describe('writeReport', () => {
  it('begins with where it loses, and has a chart for what was measured', async () => {
    writeResult(resultFile(directory, 'local'), resultOf('local', [{ title: 'Files', rows: LOCAL }]))
    await writeReport(directory, directory)
    const text = await readFile(join(directory, 'benchmarks.md'), 'utf8')

    expect(text.indexOf('## Where IPFSz loses')).to.be.within(0, 200)
    expect(text).to.include('![').and.include('charts/local.svg').and.include('Not measured: storage')
    expect(await readdir(join(directory, 'charts'))).to.deep.equal(['local.svg'])
  })

  it('refuses results of smoke runs', async () => {
    writeResult(resultFile(directory, 'local'), { ...resultOf('local', [{ title: '', rows: LOCAL }]), smoke: true })

    await expect(writeReport(directory, directory)).rejects.toThrow('no results of full runs')
  })
})

describe('toSvg', () => {
  it('draws on no background, with text and lines that are neither black nor white', () => {
    const svg = toSvg({ title: 'Speed', unit: 'MB/s', kind: 'bar', reference: 1, categories: ['a', 'b'], series: [{ name: 'x', values: [1, null] }, { name: 'y', values: [3, 4] }] })

    expect(svg).to.include('Speed').and.include('MB/s')
    expect(svg).not.to.match(/(?:fill|stroke)="(?:#000|#fff|black|white|#000000|#ffffff)"/)
    expect(svg).to.match(/^<svg[^>]*>\s*<rect [^>]*fill="none"/)
  })
})

describe('toMarkdown', () => {
  it('has all columns of all rows, and keeps a bar from being a border', () => {
    expect(toMarkdown([{ a: 1, b: 'x|y' }, { a: 2, c: '-' }])).to.equal([
      '| a | b | c |',
      '|---:|---|---:|',
      '| 1 | x\\|y |  |',
      '| 2 |  | - |'
    ].join('\n'))
  })
})
