import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { obstacles, unexplained } from '../report/targets/obstacles.ts'
import { readResult } from '../support/results.ts'
import type { Row } from '../benchmark.ts'
import type { Result } from '../support/results.ts'

const RESULTS = join(import.meta.dirname, '../results')

function resultOf (name: string, ...tables: Row[][]): [string, Result] {
  return [name, {
    name,
    question: '',
    date: '2026-01-02',
    smoke: false,
    machine: '',
    versions: {},
    seconds: 1,
    tables: tables.map(rows => ({ title: '', rows }))
  }]
}

/** Reads of 1 MB from memory by plain Helia, the floor and IPFSz, in milliseconds. */
function memoryReads (...times: [plain: number, floor: number, ours: number]): Row[] {
  return ['plain Helia', 'the floor', 'ipfsz'].map((side, i) => (
    { bytes: 1e6, store: 'memory', side, 'ms, median': times[i], 'times as fast': times[0] / times[i] }
  ))
}

describe('what stands in the way', () => {
  it('is said of every target that was missed', () => {
    const names = globSync('*.json', { cwd: RESULTS }).map(file => basename(file, '.json'))
    const results = new Map(names.map(name => [name, readResult(RESULTS, name) as Result]))

    expect(names).toContain('floor')
    expect(unexplained(results)).toEqual([])
  })

  it('is said with what plain Helia and the floor take', () => {
    expect(obstacles(new Map([resultOf('floor', memoryReads(0.3, 2, 3))]))).toEqual([
      expect.stringContaining('plain Helia takes 0.3 ms, codec, hash and store alone 2, IPFSz 3. ')
    ])
  })

  it('is not said where a target is reached, or was not measured', () => {
    expect(obstacles(new Map([resultOf('floor', memoryReads(3, 2, 3))]))).toEqual([])
    expect(obstacles(new Map())).toEqual([])
  })

  it('is said with the figures of LevelDB, of Kubo, of links and of blocks', () => {
    const lines = obstacles(new Map([
      resultOf('local', [['ipfsz, zstd 3', 0.4], ['the floor', 0.5]].map(
        ([side, times]) => ({ MB: 1, store: 'level', what: 'cat', side, 'times as fast': times })
      )),
      resultOf('floor', [
        { what: 'add', MB: 100, side: 'ipfsz, the command', "times Kubo's speed": 0.3 },
        { what: 'add', MB: 100, side: 'the floor', "times Kubo's speed": 0.4 },
        { what: 'cat', MB: 100, side: 'the floor', "times Kubo's speed": 1.1 }
      ]),
      resultOf('network', [['ipfsz cat --gateway, from ipfsz gateway', 2], ['bare Node, from ipfsz gateway', 1.6]].map(
        ([side, times]) => ({ 'Mbit/s': 1000, 'round trip, ms': 2, MB: 64, side, 'times the floor': times })
      )),
      resultOf('blockstore', [
        ['FsBlockstore', 700, 1],
        ['the floor', 500, 0.7],
        ['FsBlockstore, zstd 3, hash', 450, 0.6]
      ].map(([side, rate, times]) => (
        { files: 'paper', what: 'get, cached, 8 at a time', side, 'MB/s': rate, 'times as fast': times }
      )))
    ]))

    expect(lines).toEqual([
      expect.stringMatching(/reads at 0\.4 times plain Helia's speed.* nothing else, reaches 0\.5 times/),
      expect.stringContaining("compress, hash and write 100 MB reaches 0.4 times Kubo's speed"),
      expect.stringContaining('takes 1.6 times the floor, from ipfsz gateway'),
      expect.stringMatching(/alone reads 700 MB\/s.* alone 500, a CompressedBlockstore on it 450\. /)
    ])
  })
})
