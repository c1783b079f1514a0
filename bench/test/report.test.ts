import { globSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toSvg } from '../report/chart.ts'
import { lossGroups } from '../report/loss-groups.ts'
import { LOSSES } from '../report/losses.ts'
import { toMarkdown } from '../report/markdown.ts'
import { TITLES, writeReport } from '../report/report.ts'
import { targets } from '../report/targets/targets.ts'
import { keepResults, readResult, resultFile, writeResult } from '../support/results.ts'
import type { JoinTables, Row, Table } from '../benchmark.ts'
import type { Result } from '../support/results.ts'

const LOCAL: Row[] = [
  { MB: 100, store: 'fs', what: 'add', side: 'plain Helia', 'MB/s': 400, 'times as fast': 1 },
  { MB: 100, store: 'fs', what: 'add', side: 'ipfsz, zstd 3', 'MB/s': 300, 'times as fast': 0.75 },
  { MB: 100, store: 'fs', what: 'cat', side: 'plain Helia', 'MB/s': 200, 'times as fast': 1 },
  { MB: 100, store: 'fs', what: 'cat', side: 'ipfsz, zstd 3', 'MB/s': 500, 'times as fast': 2.5 },
  { MB: 100, store: 'flatfs', what: 'cat', side: 'Kubo, zstd -3 piped', 'MB/s': 1000, 'times as fast': 5 }
]

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-test-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

function resultOf (name: string, tables: Table[]): Result {
  return {
    name,
    question: 'how fast',
    date: '2025-01-31',
    smoke: false,
    machine: '2 cores',
    versions: { node: '24.0.0' },
    seconds: 1,
    tables
  }
}

function lossesOf (name: string, rows: Row[]): string[] {
  return LOSSES[name](new Map([[name, resultOf(name, [{ title: '', rows }])]]))
}

describe('lossGroups', () => {
  it('reports a slower speed as how many times as long it takes, rounded', () => {
    const found = lossGroups(new Map([
      [
        'tree',
        resultOf('tree', [
          {
            title: '',
            rows: [0.5, 0.7, 1.2].map(times => ({ tree: String(times), side: 'ipfsz', 'add, times as fast': times }))
          }
        ])
      ]
    ]))

    expect(found).to.deep.equal([
      '**Small files**: adding a directory of them takes 1.4 to 2 times as long as with plain Helia ' +
        '([tree](benchmarks/tree.md))'
    ])
  })

  it('omits what is as fast', () => {
    expect(
      lossGroups(
        new Map([[
          'browser',
          resultOf('browser', [
            {
              title: '',
              rows: [{ store: 'memory', side: 'ipfsz, zstd 3', 'add, times as fast': 1.1, 'cat, times as fast': 0.99 }]
            }
          ])
        ]])
      )
    ).to.deep.equal([])
  })
})

describe('losses', () => {
  it('lists what is slower, not what is faster', () => {
    const found = lossesOf('local', LOCAL)

    expect(found).to.have.lengthOf(2)
    expect(found[0]).to.include('add').and.include('0.75')
    expect(found[1]).to.include('cat').and.include('100 MB and zstd -3 piped (2 times)')
  })

  it('lists more processor time, and memory that grows with the file', () => {
    const row = { MB: 1, store: 'fs', what: 'add', 'times as fast': 1 }
    const found = [
      ...lossesOf('local', [
        { ...row, side: 'plain Helia', 'CPU ms': 10 },
        { ...row, side: 'ipfsz, zstd 3', 'CPU ms': 15 }
      ]),
      ...lossesOf(
        'memory',
        [100, 1000].map(MB => ({ MB, side: 'ipfsz, zstd 3', 'add, MB': 200 + MB / 10, 'cat, MB': 200, failed: '' }))
      )
    ]

    expect(found).to.have.lengthOf(2)
    expect(found[0]).to.include('processor time').and.include('1.5')
    expect(found[1]).to.include('add of 1000 MB').and.include('1.43')
  })

  it('lists where reading with `transient` is slower than plain Helia', () => {
    const row = { MB: 1, store: 'memory', what: 'cat' }
    const found = lossesOf('local', [
      { ...row, side: 'plain Helia', 'times as fast': 1 },
      { ...row, side: 'ipfsz, zstd 3', 'times as fast': 1.2 },
      { ...row, side: 'ipfsz, transient', 'times as fast': 0.4 }
    ])

    expect(found).to.have.lengthOf(1)
    expect(found[0]).to.include('transient').and.include('1 MB on memory (0.4)')
  })

  it('compares Kubo with the command, not with the library', () => {
    const found = lossesOf('local', [
      { MB: 100, store: 'repo', what: 'cat', side: 'ipfsz, the command', 'MB/s': 250, 'times as fast': 0.5 },
      ...LOCAL
    ])

    expect(found.filter(loss => loss.includes('cat against Kubo'))).to.have.lengthOf(1)
    expect(found.join('\n')).to.include('100 MB and zstd -3 piped (4 times)').and.not.include('the command on repo')
  })

  it('lists files that are stored plain but would shrink', () => {
    const row = { file: 'a.png', 'ipfsz, zstd 3': 1, 'frames cost, %': '-' }
    const found = lossesOf('storage', [
      { ...row, 'zstd -3, whole file': 0.9 },
      { ...row, file: 'b.jpg', 'zstd -3, whole file': 1 }
    ])

    expect(found).to.have.lengthOf(1)
    expect(found[0]).to.include('a.png').and.not.include('b.jpg')
  })

  it('lists failed fetches, slower fetches, and those far above the floor', () => {
    const row = { 'Mbit/s': 10, 'round trip, ms': 50, MB: 16, side: 'ipfsz, zstd', failed: '' }
    const found = lossesOf('network', [
      {
        ...row,
        seconds: '-',
        'times the floor': '-',
        'floor, s': 4,
        failed: '2 of 2: LoadBlockFailedError after 12 MB'
      },
      { ...row, 'Mbit/s': 50, seconds: 3, 'times the floor': 1.5, 'floor, s': 2 },
      { ...row, 'Mbit/s': 50, side: 'Kubo', seconds: 2, 'times the floor': 1, 'floor, s': 2 }
    ])

    expect(found.filter(loss => loss.includes('LoadBlockFailedError'))).to.have.lengthOf(1)
    expect(found.filter(loss => loss.includes('Kubo is faster over 1 of 2 links: 50 Mbit/s'))).to.have.lengthOf(1)
    expect(found.filter(loss => loss.includes('times the floor over 1 of 2 links: 50 Mbit'))).to.have.lengthOf(1)
  })
})

describe('losses of other benchmarks', () => {
  it('lists the cold starts that take longer than those of Kubo, on the page and on the front page', () => {
    const rows: Row[] = [
      { what: 'start', side: 'node -e 0', 'times Kubo\'s time': 2 },
      { what: 'add', side: 'ipfsz', 'times Kubo\'s time': 1.5 },
      { what: 'cat', side: 'ipfsz', 'times Kubo\'s time': 1.02 }
    ]

    expect(lossesOf('start', rows))
      .to.deep.equal(['**adding 15 kB from a cold start**: IPFSz takes 1.5 times as long as Kubo.'])
    expect(lossGroups(new Map([['start', resultOf('start', [{ title: '', rows }])]])))
      .to.deep.equal(['**Starting the command**: a cold start takes 1.5 times as long as Kubo\'s ' +
        '([start](benchmarks/start.md))'])
  })

  it.each([
    'plain Helia',
    'plain CID with libp2p compression',
    'Kubo',
    'Kubo, zstd -3 piped'
  ])('list fetches and first bytes that are faster with %s than with the command or the library', rival => {
    const row = { 'Mbit/s': 50, 'round trip, ms': 50, MB: 16, failed: '', 'floor, s': 2, 'times the floor': 1 }
    const found = lossesOf('network', [
      ...['ipfsz, zstd', 'ipfsz cat from ipfsz daemon'].map(side => ({ ...row, side, seconds: 3, 'first byte, s': 2 })),
      { ...row, side: rival, seconds: 2, 'first byte, s': 1 }
    ])

    expect(found.filter(loss => loss.includes(`${rival} is faster over`))).to.have.lengthOf(2)
    expect(found.filter(loss => loss.includes(`sooner with ${rival} over`))).to.have.lengthOf(2)
  })

  it('count more than two links, and show only the smallest and the largest loss', () => {
    const row = { 'round trip, ms': 50, MB: 16, failed: '', 'floor, s': 1, 'times the floor': 1 }
    const found = lossesOf('network', [2, 5, 3, 1].flatMap((seconds, i) => [
      { ...row, 'Mbit/s': i, side: 'ipfsz, zstd', seconds },
      { ...row, 'Mbit/s': i, side: 'Kubo', seconds: 1 }
    ]))

    expect(found).to.deep.equal([
      '**fetching, ipfsz, zstd**: Kubo is faster over 3 of 4 links, from 0 Mbit/s and 50 ms with 16 MB ' +
        '(1 s against 2 s) to 1 Mbit/s and 50 ms with 16 MB (1 s against 5 s).'
    ])
  })

  it('list processor time and memory of which Kubo takes less', () => {
    const row = { MB: 100, store: 'fs', what: 'cat' }
    const found = lossesOf('local', [
      { ...row, side: 'ipfsz, zstd 3', 'MB/s': 100, 'CPU ms': 300, 'peak MB': 200 },
      { ...row, side: 'Kubo', store: 'flatfs', 'MB/s': 50, 'CPU ms': 150, 'peak MB': 80 }
    ])

    expect(found).to.deep.equal([
      '**cat against Kubo, processor time**: IPFSz takes more, with 100 MB (2 times).',
      '**cat against Kubo, memory**: IPFSz takes more, with 100 MB (2.5 times).'
    ])
  })

  it('list slow random reads, and codecs that are slower in a page', () => {
    const row = { 'ms, median': 5, 'times as fast': 1, 'KiB a read': 100 }

    expect(
      lossesOf('random', [
        { ...row, side: 'plain Helia', 'ms, 95 of 100': 6 },
        { ...row, side: 'ipfsz, frames of 4096 KiB', 'ms, 95 of 100': 9 }
      ])
    ).to.deep.equal([
      '**4 KiB at a random place**: the slowest 5 % of reads take 9 ms or more (plain Helia: 6 ms).'
    ])
    expect(
      lossesOf('browser', [
        { store: 'memory', side: 'ipfsz, brotli 4', 'add, times as fast': 0.2, 'cat, times as fast': 1 }
      ])
    ).to.deep.equal(['**in a page**, store memory: add is slower than with plain Helia: brotli 4 (0.2).'])
    expect(
      lossesOf('browser', [
        { store: 'memory', side: 'ipfsz, zstd 3', 'cat, times as fast': 0.4, 'cat, share of the floor': 0.8 },
        { store: 'memory', side: 'the floor', 'cat, times as fast': 0.5, 'cat, share of the floor': 1 }
      ])
    ).to.deep.equal([
      '**in a page**, store memory: cat is slower than with plain Helia: zstd 3 (0.4). ' +
        'Even the codec, the hash and the store alone reach only 0.5; zstd 3 reaches 0.8 of that.'
    ])
  })

  it('list links that take longer to open and read than the paper says', () => {
    const found = lossesOf('links', [
      { datastore: 'level', links: 1000, 'make, ms': 100, 'open, ms': 8, 'read, ms': 4, 'open and read, ms': 12 }
    ])

    expect(found).to.deep.equal([
      '**reading 1000 links** in a new process takes longer than the paper\'s 5 ms with datastore-level ' +
        '(12 ms, 8 of them to open it).'
    ])
  })

  it('list slow links over which fetches fail or take long', () => {
    const row = { 'Mbit/s': 10, MB: 20, what: 'text', provider: 'Kubo', whole: '4 of 5' }
    const found = lossesOf('slow', [
      { ...row, failed: '1 of 5: TimeoutError', 'times the floor': 1 },
      { ...row, failed: '', 'times the floor': 1.4 }
    ])

    expect(found).to.have.lengthOf(2)
    expect(found[0]).to.include('4 of 5 are complete')
    expect(found[1]).to.include('20 MB of text (1.4)')
  })

  it('list what nginx and Kubo serve faster, or with less processor time', () => {
    const row = { MB: 10, file: 'text', connections: 16 }
    const rows = [
      { ...row, side: 'ipfsz gateway, zstd 3', 'requests/s': 100, 'CPU ns a byte': 2, 'times Kubo\'s rate': 0.5 },
      { ...row, side: 'nginx, compressed before', 'requests/s': 400, 'CPU ns a byte': 1 },
      { ...row, side: 'Kubo', 'requests/s': 200, 'CPU ns a byte': 4 }
    ]
    const results = new Map([['gateway', resultOf('gateway', [{ title: '', rows }])]])

    expect(lossesOf('gateway', rows)).to.deep.equal([
      '**requests a second**: nginx, compressed before answers more in 1 of 1 rows: ' +
        '10 MB of text at 16 connections (4 times).',
      '**processor time**: nginx, compressed before takes less in 1 of 1 rows: ' +
        '10 MB of text at 16 connections (2 times).',
      '**requests a second**: Kubo answers more in 1 of 1 rows: 10 MB of text at 16 connections (2 times).'
    ])
    expect(lossGroups(results)).to.deep.equal([
      '**Serving over HTTP**: with files of 10 MB, 4 times as many requests a second as ipfsz from nginx; ' +
        'with files of 10 MB, 2 times as many from Kubo\'s gateway ([gateway](benchmarks/gateway.md))'
    ])
    expect(targets(results).find(({ what }) => String(what).includes('rate of Kubo'))).to.include({
      target: 'at least 1',
      measured: 0.5,
      reached: '**no**'
    })
  })

  it('list small files that are slower to add or read', () => {
    const row = { tree: 'a', 'stored / original': 0.3, 'read all, times as fast': 1 }
    const found = lossesOf('tree', [
      { ...row, side: 'plain Helia', 'add, times as fast': 1, 'read one, times as fast': 1 },
      { ...row, side: 'ipfsz', 'add, times as fast': 0.5, 'read one, times as fast': 0.75 }
    ])

    expect(
      found.filter(loss => loss.includes('plain Helia: add at 0.5 times its speed and read one at 0.75'))
    ).to.have.lengthOf(1)
  })

  it('list files that are compressed already and slower than with plain Helia or without detection', () => {
    const even = {
      file: 'a.zip',
      'add: times as fast as plain': 1,
      'add: times as fast as detection off': 1,
      'cat: times as fast as plain': 1
    }

    expect(lossesOf('bypass', [even])).to.deep.equal([])

    for (
      const column of [
        'add: times as fast as plain',
        'add: times as fast as detection off',
        'cat: times as fast as plain'
      ]
    ) {
      expect(lossesOf('bypass', [{ ...even, [column]: 0.8 }])).to.have.lengthOf(1)
    }
  })

  it('list readings of databases that fetch more, or take longer, than of plain ones', () => {
    const row = { reading: 'one row', 'stored / original': 1, seconds: 1, requests: 3, MB: 2 }
    const rows = [
      { ...row, side: 'plain, blocks of 1024 KiB' },
      { ...row, side: 'frames of 64 KiB, blocks of up to 64 KiB', requests: 4, MB: 0.5 },
      { ...row, side: 'frames of 4096 KiB, blocks of up to 1024 KiB', seconds: 1.02, MB: 4 },
      { ...row, side: 'frames of 1024 KiB, blocks of up to 1024 KiB', seconds: 9 }
    ]
    const title = 'A SQLite database of 46.1 MB, over 50 Mbit/s'

    expect(LOSSES.datasets(new Map([['datasets', resultOf('datasets', [{ title, rows }])]]))).to.deep.equal([
      '**`ranges`, requests**: more than plain with 1 of 1 readings: ' +
        'one row of a SQLite database (4 against 3 requests).',
      '**the default, MB**: more than plain with 1 of 1 readings: one row of a SQLite database (4 against 2 MB).'
    ])
  })

  it('list blocks that a CompressedBlockstore with default options reads slower, with their files', () => {
    const row = { files: 'paper', what: 'get, cached, one by one', side: 'FsBlockstore, zstd 3, hash' }

    expect(
      lossesOf('blockstore', [
        { ...row, 'times as fast': 1 },
        { ...row, side: 'FsBlockstore, zstd 3, length', 'times as fast': 0.5 }
      ])
    ).to.deep.equal([])
    expect(lossesOf('blockstore', [{ ...row, 'times as fast': 0.5 }])[0]).to.include(
      'get, cached, one by one: slower than an FsBlockstore alone in 1 of 1 rows: FsBlockstore, zstd 3, ' +
        'hash with blocks of paper (0.5)'
    )
  })

  it('compare a CompressedBlockstore with the floor, if that was measured', () => {
    const what = 'put, 8 at a time'
    const rows = [
      { what, files: 'paper', side: 'FsBlockstore, zstd 3, hash', 'times as fast': 0.4, 'share of the floor': 0.8 },
      { what, files: 'silesia', side: 'FsBlockstore, zstd 3, hash', 'times as fast': 0.2, 'share of the floor': 1 },
      { what, files: 'paper', side: 'the floor', 'times as fast': 0.5, 'share of the floor': 1 },
      { what, files: 'silesia', side: 'the floor', 'times as fast': 0.25, 'share of the floor': 1 }
    ]

    expect(lossesOf('blockstore', rows)[0])
      .to.match(/ The floor has 0.25 to 0.5, and the store reaches 0.8 to 1 of it.$/)
    expect(lossGroups(new Map([['blockstore', resultOf('blockstore', [{ title: '', rows }])]]))[0])
      .to.include('writing takes 2.5 to 5 times as long (compressing and writing alone: 2 to 4 times)')
  })

  it('compare a CompressedBlockstore in memory with a bare one, and not with files', () => {
    const row = { what: 'getMany', files: 'paper' }
    const results = new Map([['blockstore', resultOf('blockstore', [
      { title: 'Blocks of 1 MiB', rows: [] },
      {
        title: 'Blocks in memory (the test files)',
        rows: [
          { ...row, side: 'MemoryBlockstore, zstd 3, hash', 'times as fast': 0.01, 'share of the floor': 0.8 },
          { ...row, side: 'MemoryBlockstore, zstd 3, length', 'times as fast': 0.02, 'share of the floor': 1.6 },
          { ...row, side: 'the floor', 'times as fast': 0.0125, 'share of the floor': 1 }
        ]
      }
    ])]])

    expect(LOSSES.blockstore(results)).to.deep.equal([
      '**a CompressedBlockstore** with default options, getMany, in memory: slower than a MemoryBlockstore alone in ' +
        '1 of 1 rows: MemoryBlockstore, zstd 3, hash with blocks of paper (0.01). ' +
        'The floor has 0.013, and the store reaches 0.8 of it.'
    ])
    expect(lossGroups(results)[0])
      .to.match(/reading from memory, .*, takes 100 times as long \(decompressing and hashing alone: 80 times\)/)
  })
})

/** Rows of the benchmark of the floor, with the times of plain Helia, of the floor and of IPFSz. */
describe('targets', () => {
  it('are 0.8 / ratio for a fetch, and 1 for reading blocks with `verify: length`', () => {
    const rows = targets(new Map([
      ['storage', resultOf('storage', [{ title: '', rows: [{ 'ipfsz, zstd 3': 0.25, 'zstd -3, whole file': 0.25 }] }])],
      [
        'network',
        resultOf('network', [
          { title: '', rows: [] },
          { title: '', rows: [{ side: 'ipfsz cat from ipfsz daemon', 'times as fast': 3.3, 'times the floor': 1.2 }] }
        ])
      ],
      [
        'blockstore',
        resultOf('blockstore', [
          {
            title: '',
            rows: [{
              files: 'paper',
              what: 'get, cached, 8 at a time',
              side: 'SharedFsBlockstore, zstd 3, length',
              'times as fast': 1.5
            }]
          }
        ])
      ]
    ]))

    expect(rows.filter(({ measured }) => measured === 3.3))
      .toEqual([expect.objectContaining({ target: 'at least 3.2', reached: 'yes' })])
    expect(rows.filter(({ measured }) => measured === 1.5))
      .toEqual([expect.objectContaining({ target: 'at least 1', reached: 'yes' })])
  })

  it('compare a fetch over HTTP with what curl gets from the same gateway', () => {
    const row = { 'Mbit/s': 1000, 'round trip, ms': 2, MB: 64 }
    const fetched = [
      ['ipfsz cat --gateway, from ipfsz gateway', 1.2],
      ["ipfsz cat --gateway, from Kubo's gateway", 1.5],
      ['curl of the stored bytes, from ipfsz gateway', 1.02],
      ["curl of the CAR, from Kubo's gateway", 1.4]
    ].map(([side, times]) => ({ ...row, side, 'times the floor': times }))
    const rows = targets(new Map([['network', resultOf('network', [{ title: '', rows: fetched }])]]))

    expect(rows.filter(({ measured }) => measured === 1.2))
      .toEqual([expect.objectContaining({ reached: 'yes', 'the limit here': 1.02 })])
    expect(rows.filter(({ measured }) => measured === 1.5))
      .toEqual([expect.objectContaining({ reached: '**no**', 'the limit here': 1.4 })])
  })

  it('compare a fetch with a bare program that checks and decompresses, where it was measured', () => {
    const row = { 'Mbit/s': 1000, MB: 64 }
    const fetched = [2, 50].flatMap(roundTrip => [
      ['ipfsz cat --gateway, from ipfsz gateway', 1.3],
      ['curl of the stored bytes, from ipfsz gateway', 1.02],
      ...roundTrip === 2 ? [['bare Node, from ipfsz gateway', 1.2]] : []
    ].map(([side, times]) => ({ ...row, 'round trip, ms': roundTrip, side, 'times the floor': times })))
    const rows = targets(new Map([['network', resultOf('network', [{ title: '', rows: fetched }])]]))

    expect(rows.filter(({ measured }) => measured === 1.3).map(row => row['the limit here'])).to.deep.equal([1.2, 1.02])
  })

  it('say which are reached, which are not, which were not measured, and how near the limit they come', () => {
    const row = { bytes: 100e6, store: 'fs' }
    const floor = resultOf('floor', [
      {
        title: '',
        rows: [
          { zstd: 3, 'source, KiB': 1024, side: 'ipfsz', 'times as fast': 1.2 },
          { zstd: 3, 'source, KiB': 1024, side: 'the floor', 'times as fast': 1.5 }
        ]
      },
      {
        title: '',
        rows: [
          { ...row, side: 'ipfsz', 'times as fast': 2.5 },
          { ...row, side: 'the floor', 'times as fast': 5 }
        ]
      }
    ])
    const rows = targets(new Map([['floor', floor]]))

    expect(rows.filter(({ reached }) => reached === 'yes'))
      .toEqual([expect.objectContaining({ measured: 1.2, 'the limit here': 1.5, 'share of it': 0.8 })])
    expect(rows.filter(({ reached }) => reached === '**no**'))
      .toEqual([expect.objectContaining({ measured: 2.5, 'the limit here': 5, 'share of it': 0.5 })])
    expect(rows.filter(({ measured }) => measured === 'not measured').length).to.be.above(0)
  })

  it('of LevelDB, and of blocks compared with hashes, have the floor as their limit, others zlib alone', () => {
    const block = { files: 'paper', what: 'get, cached, 8 at a time' }
    const level = { MB: 1, store: 'level', what: 'cat' }
    const rows = targets(new Map([
      ['blockstore', resultOf('blockstore', [{
        title: '',
        rows: [
          { ...block, side: 'SharedFsBlockstore, zstd 3, hash', 'times as fast': 0.61 },
          { ...block, side: 'FsBlockstore, zstd 3, hash', 'times as fast': 0.51 },
          { ...block, side: 'FsBlockstore, zstd 3, length', 'times as fast': 0.71 },
          { ...block, side: 'SharedFsBlockstore, zstd 3, length', 'times as fast': 0.81 },
          { ...block, side: 'FsBlockstore, zstd 3, zlib alone', 'times as fast': 0.75 },
          { ...block, side: 'SharedFsBlockstore, zstd 3, zlib alone', 'times as fast': 0.9 },
          { ...block, side: 'the floor', 'times as fast': 0.8 }
        ]
      }, {
        title: 'Blocks in memory (the test files)',
        rows: [
          { files: 'paper', what: 'getMany', side: 'MemoryBlockstore, zstd 3, hash', 'times as fast': 0.003 },
          { files: 'paper', what: 'getMany', side: 'the floor', 'times as fast': 0.004 },
          { files: 'paper', what: 'put, 8 at a time', side: 'MemoryBlockstore, zstd 3, hash', 'times as fast': 0.002 }
        ]
      }])],
      ['local', resultOf('local', [{
        title: '',
        rows: [
          { ...level, side: 'ipfsz, zstd 3', 'times as fast': 0.41 },
          { ...level, side: 'the floor', 'times as fast': 0.5 }
        ]
      }])]
    ]))
    const limitOf = (value: number): unknown => rows.find(({ measured }) => measured === value)?.['the limit here']

    expect([0.61, 0.51, 0.71, 0.81, 0.003, 0.41].map(limitOf)).toEqual([0.8, 0.8, 0.75, 0.9, 0.004, 0.5])
    expect(rows.find(({ measured }) => measured === 0.003)).to.include({
      what: 'getMany from memory, blocks of paper, zstd 3, hash: times the speed of a MemoryBlockstore alone',
      target: 'at least 0.9',
      reached: '**no**'
    })
    expect(rows.find(({ measured }) => measured === 0.002)?.what)
      .to.match(/^put to memory, 8 at a time, blocks of paper/)
  })

  it('compare the command with Kubo, and have a bare Node program as the limit', () => {
    const row = { what: 'cat', MB: 100 }
    const [speed, cpu] = ['times Kubo\'s speed', 'CPU, times Kubo\'s with zstd']
    const rows = targets(new Map([['floor', resultOf('floor', [
      { title: '', rows: [{ side: 'ipfsz', bytes: 1e6, store: 'fs' }] },
      {
        title: '',
        rows: [
          { ...row, side: 'ipfsz, the command', [speed]: 0.5, [cpu]: 0.9 },
          { ...row, side: 'the floor', [speed]: 0.8, [cpu]: 0.6 },
          { ...row, what: 'add', side: 'ipfsz, the command', 'share of the floor': 0.95 }
        ]
      }
    ])]])).filter(({ what, measured }) => String(what).startsWith('ipfsz ') && measured !== 'not measured')

    expect(rows.map(row => [row.measured, row.reached, row['the limit here'], row['share of it']])).to.deep.equal([
      [0.5, '**no**', 0.8, 0.625],
      [0.95, 'yes', 1, 0.95],
      [0.9, 'yes', 0.6, 0.667]
    ])
  })

  it('compare adds of small files with plain Helia, beside the floor of the same run', () => {
    const row = { input: 'jquery', process: 'warm' }
    const rows = targets(new Map([
      ['tree', resultOf('tree', [{ title: '', rows: [{ tree: 'jquery', side: 'plain Helia' }] }])],
      ['floor', resultOf('floor', [
        { title: '', rows: [] },
        {
          title: '',
          rows: [
            { ...row, side: 'ipfsz', 'times as fast': 0.4 },
            { ...row, side: 'the floor', 'times as fast': 0.5 }
          ]
        }
      ])]
    ]))

    expect(rows.find(({ what }) => what === 'add jquery in a warm process: times plain Helia\'s speed'))
      .to.include({ measured: 0.4, reached: '**no**', 'the limit here': 0.5, 'share of it': 0.8 })
  })

  it('compare nodes that share a store with nodes that do not', () => {
    const own = 'Kubo, own stores, peering in the site'
    const rows = targets(new Map([['site', resultOf('site', [{
      title: 'One object at a time: 3 sites of 2 nodes, 50 ms between sites',
      rows: [
        siteRow(own, 'write', 0.2),
        // most of them by the node that wrote the object: the median says nothing of the others
        siteRow(own, 'read in the site', 0.1),
        siteRow(own, 'read in the site, by the node that wrote it', 0.1),
        siteRow(own, 'read in the site, by another node', 0.3),
        siteRow('ipfsz, shared directory', 'write', 0.4),
        siteRow('ipfsz, shared directory', 'read in the site', 0.1),
        siteRow('ipfsz, shared directory', 'read in the site, by the node that wrote it', 0.1),
        siteRow('ipfsz, shared directory', 'read in the site, by another node', 0.1)
      ]
    }])]]))

    expect(rows.filter(({ what }) => String(what).startsWith('ipfsz, shared')).map(
      ({ measured, reached }) => [measured, reached]
    )).to.deep.equal([[2, '**no**'], [0.5, 'yes'], [0.01, 'yes'], ['not measured', '-']])
  })
})

describe('writeReport', () => {
  it('has a title for every benchmark, and for the soak', () => {
    const names = globSync('*.ts', { cwd: join(import.meta.dirname, '..') }).map(file => file.replace('.ts', ''))

    expect(Object.keys(TITLES).toSorted()).to.deep.equal(
      [...names.filter(name => !['run', 'benchmark'].includes(name)), 'soak'].toSorted()
    )
  })

  it('says with which command a result was measured that no benchmark wrote', async () => {
    writeResult(resultFile(directory, 'soak'), { ...resultOf('soak', []), command: 'npm run soak -- --files 30' })
    await writeReport(directory, directory)

    expect(await readFile(join(directory, 'benchmarks', 'soak.md'), 'utf8'))
      .to.include('`npm run soak -- --files 30` took 1 s')
  })

  it('lists every version of a package', async () => {
    writeResult(resultFile(directory, 'local'), resultOf('local', [{ title: 'Files', rows: LOCAL }]))
    writeResult(resultFile(directory, 'links'), {
      ...resultOf('links', [{ title: '', rows: [] }]),
      versions: { node: '24.1.0', helia: '7.0.0' }
    })
    await writeReport(directory, directory)

    expect(await readFile(join(directory, 'benchmarks.md'), 'utf8')).to.include('node 24.0.0 and 24.1.0, helia 7.0.0.')
  })

  it('starts with a chart and the main figures, followed by the losses', async () => {
    writeResult(resultFile(directory, 'local'), resultOf('local', [{ title: 'Files', rows: LOCAL }]))
    await writeReport(directory, directory)
    const text = await readFile(join(directory, 'benchmarks.md'), 'utf8')
    const [chart, line, loses] = [
      'charts/overview.svg',
      '**Reading from disk**: 2.5 times as fast as plain Helia, for files of 100 MB',
      '## Where IPFSz loses'
    ].map(part => text.indexOf(part))

    expect(chart).to.be.within(0, line)
    expect(line).to.be.below(loses)
    expect(text).to.include('Not measured: storage')
  })

  it('writes a page and charts for each measured benchmark, and no others', async () => {
    writeResult(resultFile(directory, 'local'), resultOf('local', [{ title: 'Files', rows: LOCAL }]))
    await writeReport(directory, directory)

    expect(await readFile(join(directory, 'benchmarks', 'local.md'), 'utf8')).to.include(
      '(../charts/local.svg)'
    ).and.include('| 100 | fs | cat | plain Helia |')
    expect(await readdir(join(directory, 'charts'))).to.deep.equal(['local.svg', 'overview.svg'])
    expect(await readdir(join(directory, 'benchmarks'))).to.deep.equal(['local.md', 'targets.md'])
  })

  it('refuses results of smoke runs', async () => {
    writeResult(resultFile(directory, 'local'), { ...resultOf('local', [{ title: '', rows: LOCAL }]), smoke: true })

    await expect(writeReport(directory, directory)).rejects.toMatchObject({ name: 'NoInputError' })
  })

  it('compares Kubo with the command, in the summary as where IPFSz loses', async () => {
    const rows = ['add', 'cat'].flatMap(what => [
      ['fs', 'ipfsz, zstd 3', 200],
      ['flatfs', 'Kubo', 300],
      ['repo', 'ipfsz, the command', 100]
    ].map(([store, side, rate]) => ({ MB: 100, store, what, side, 'MB/s': rate })))
    writeResult(resultFile(directory, 'local'), resultOf('local', [{ title: 'Files', rows }]))
    await writeReport(directory, directory)

    expect(await readFile(join(directory, 'benchmarks.md'), 'utf8'))
      .to.include('Kubo adds 100 MB 3 times as fast as IPFSz, and reads it 3 times as fast')
      .and.include('adding takes 3 times as long; reading takes 3 times as long')
  })

  it('names on each page the machine it was measured with', async () => {
    writeResult(resultFile(directory, 'local'), resultOf('local', [{ title: 'Files', rows: LOCAL }]))
    writeResult(resultFile(directory, 'site'), {
      ...resultOf('site', [{ title: '', rows: [{ ...siteRow('Kubo', 'write', 1), measured: '2025-01-31' }] }]),
      machine: '64 cores'
    })
    await writeReport(directory, directory)
    const [local, site] = await Promise.all(
      ['local', 'site'].map(async name => readFile(join(directory, 'benchmarks', `${name}.md`), 'utf8'))
    )

    expect(local).to.match(/Measured on 2025-01-31, .* and 2 cores; /).and.not.include('64 cores')
    expect(site).to.include('Measured with 64 cores. Each row says when').and.not.include('2 cores')
  })
})

async function appendTables (): Promise<JoinTables> {
  return (earlier, later) => [...earlier, ...later]
}

describe('keepResults', () => {
  it('replaces the results of what was measured again in full, and keeps the others', async () => {
    const [from, to] = ['new', 'kept'].map(name => join(directory, name))

    for (const name of ['local', 'links', 'tree']) {
      writeResult(resultFile(to, name), resultOf(name, []))
    }

    writeResult(resultFile(from, 'local'), { ...resultOf('local', []), seconds: 2 })
    writeResult(resultFile(from, 'tree'), { ...resultOf('tree', []), seconds: 2, smoke: true })

    expect(await keepResults(from, to)).to.equal(1)
    expect(['local', 'links', 'tree'].map(name => readResult(to, name)?.seconds)).to.deep.equal([2, 1, 1])
    expect(await keepResults(join(directory, 'none'), to)).to.equal(0)
  })

  it('joins parts of a benchmark that has parts, and refuses those of another machine', async () => {
    const [from, to] = ['new', 'kept'].map(name => join(directory, name))
    const [earlier, later] = ['a', 'b'].map(title => resultOf('site', [{ title, rows: [] }]))

    writeResult(resultFile(to, 'site'), earlier)
    writeResult(resultFile(from, 'site'), later)
    await keepResults(from, to, appendTables)

    expect(readResult(to, 'site')?.tables.map(({ title }) => title)).to.deep.equal(['a', 'b'])

    writeResult(resultFile(from, 'site'), { ...later, machine: '64 cores' })

    await expect(keepResults(from, to, appendTables)).rejects.toMatchObject({ name: 'NoInputError' })
    expect(readResult(to, 'site')?.tables.map(({ title }) => title)).to.deep.equal(['a', 'b'])
  })

  it('replaces what was measured on another machine if nothing of it would stay', async () => {
    const [from, to] = ['new', 'kept'].map(name => join(directory, name))
    const [earlier, later] = ['a', 'b'].map(title => resultOf('site', [{ title, rows: [] }]))
    writeResult(resultFile(to, 'site'), { ...earlier, machine: '64 cores' })
    writeResult(resultFile(from, 'site'), later)
    await keepResults(from, to, async () => (_, tables) => [...tables])

    expect(readResult(to, 'site')).to.deep.equal(later)
  })
})

describe('toSvg', () => {
  it('has no background, and neither black nor white text and lines', () => {
    const svg = toSvg({
      title: 'Speed',
      unit: 'MB/s',
      kind: 'bar',
      reference: 1,
      categories: ['a', 'b'],
      series: [{ name: 'x', values: [1, null] }, { name: 'y', values: [3, 4] }]
    })

    expect(svg).to.include('Speed').and.include('MB/s')
    expect(svg).not.to.match(/(?:fill|stroke)="(?:#000|#fff|black|white|#000000|#ffffff)"/)
    expect(svg).to.match(/^<svg[^>]*>\s*<rect [^>]*fill="none"/)
  })
})

describe('toMarkdown', () => {
  it('has all columns of all rows, and escapes vertical bars', () => {
    expect(toMarkdown([{ a: 1, b: 'x|y' }, { a: 2, c: '-' }])).to.equal([
      '| a | b | c |',
      '|---:|---|---:|',
      '| 1 | x\\|y |  |',
      '| 2 |  | - |'
    ].join('\n'))
  })
})

function siteRow (side: string, phase: string, seconds: number): Row {
  return {
    side,
    object: '1 MiB',
    phase,
    'seconds, median': seconds,
    'MB between sites, of 100 objects': 0.01
  }
}
