import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompressedBlockstore, stats } from '@ipfsz/blockstore-compressed'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { longText } from '../test/support/data.ts'
import { measure, median, spread } from './benchmark.ts'
import type { Benchmark, Time } from './benchmark.ts'
import type { CompressedBlockstoreInit } from '@ipfsz/blockstore-compressed'
import type { Blockstore } from 'interface-blockstore'

const MB = 1e6

/** What UnixFS importers make of a file, in bytes. */
const BLOCK_SIZE = 1024 * 1024

/** How many blocks are asked for at one time where it is not one by one: as many as Helia's exporter does. */
const CONCURRENCY = 8

/** How often all blocks are read from the cache for one figure: once is over in some 30 milliseconds. */
const CACHED_READS = 4

/** Sizes of small blocks, in bytes. */
const SMALL_SIZES = [64, 96, 128, 192, 256, 1024, 16_384]

interface Side {
  name: string
  init?: CompressedBlockstoreInit
}

const SIDES: Side[] = [
  { name: 'FsBlockstore' },
  { name: 'zstd 3, hash', init: { level: 3 } },
  { name: 'zstd 3, length', init: { level: 3, verify: 'length' } },
  { name: 'zstd 3, length, trusted', init: { level: 3, verify: 'length', trustEnvelopes: true } },
  { name: 'zstd 1, length, trusted', init: { level: 1, verify: 'length', trustEnvelopes: true } },
  { name: 'lz4, length', init: { codec: 'lz4', verify: 'length' } },
  { name: 'gzip 6, length', init: { codec: 'gzip', verify: 'length' } },
  { name: 'brotli, length', init: { codec: 'brotli', verify: 'length' } },
  { name: 'snappy, length', init: { codec: 'snappy', verify: 'length' } },
  { name: 'none, hash', init: { codec: 'none' } },
  { name: 'none, length', init: { codec: 'none', verify: 'length' } }
]

interface Block {
  cid: CID
  bytes: Uint8Array
}

export const benchmark: Benchmark = {
  question: 'what a CompressedBlockstore on an FsBlockstore costs and saves against the FsBlockstore alone, with blocks of 1 MiB, and from which size on blocks gain',

  /** @param file - a file, or a directory of files */
  async run ({ smoke, file }) {
    const files = file == null ? [longText(smoke ? 4 * MB : 64 * MB)] : await Promise.all(filesOf(file).map(async path => readFile(path)))
    const blocks = await makeBlocks(files.flatMap(cut))
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-'))

    try {
      return [...await compare(blocks, directory, smoke ? 1 : 9, smoke ? 1 : CACHED_READS), ...await compareSizes(files, smoke ? 20 : 1000)]
    } finally {
      await rm(directory, { recursive: true })
    }
  }
}

function filesOf (path: string): string[] {
  return statSync(path).isFile() ? [path] : globSync('**', { cwd: path }).map(name => join(path, name)).filter(name => statSync(name).isFile())
}

function cut (file: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(file.byteLength / BLOCK_SIZE) }, (_, i) => file.subarray(i * BLOCK_SIZE, (i + 1) * BLOCK_SIZE))
}

async function makeBlocks (pieces: readonly Uint8Array[]): Promise<Block[]> {
  return Promise.all(pieces.map(async bytes => ({ cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes })))
}

/** Every side once in each round, so that whatever else the machine does falls on all of them. */
async function compare (blocks: readonly Block[], directory: string, rounds: number, cachedReads: number): Promise<Array<Record<string, string | number>>> {
  const size = blocks.reduce((total, { bytes }) => total + bytes.byteLength, 0)
  const times = new Map<string, Time[]>()
  const ratios = new Map<string, number>()
  const note = (side: string, what: string, time: Time): unknown => times.set(`${side}\n${what}`, [...times.get(`${side}\n${what}`) ?? [], time])

  for (let round = 0; round < rounds; round++) {
    for (const { name, init } of SIDES) {
      const path = join(directory, 'blocks')
      const child = new FsBlockstore(path)
      const store: Blockstore = init == null ? child : new CompressedBlockstore(child, init)
      await child.open()

      note(name, 'put, 8 at a time', await measure(async () => eachOf(blocks, CONCURRENCY, async ({ cid, bytes }) => { await store.put(cid, bytes) })))

      for (const [what, concurrency] of [['one by one', 1], ['8 at a time', CONCURRENCY]] as const) {
        const read = async (): Promise<void> => eachOf(blocks, concurrency, async block => get(store, block))

        note(name, `get, cached, ${what}`, await measureOften(read, cachedReads))

        if (forget(path)) {
          note(name, `get, from the disk, ${what}`, await measure(read))
        }
      }

      if (!ratios.has(name)) {
        ratios.set(name, (await stats(child)).ratio)
      }

      await rm(path, { recursive: true })
    }
  }

  return [...times].map(([key, measured]) => {
    const [side, what] = key.split('\n')
    const wall = measured.map(time => time.wall)
    const bare = times.get(`${SIDES[0].name}\n${what}`)?.map(time => time.wall) ?? wall

    return {
      what,
      side,
      'MB/s': Math.round(size / MB / median(wall) * 1000),
      'times as fast': Number((median(bare) / median(wall)).toFixed(2)),
      ratio: Number((ratios.get(side) ?? 1).toFixed(3)),
      'ms, median': Math.round(median(wall)),
      'ms, spread': spread(wall),
      'CPU ms': Math.round(median(measured.map(time => time.cpu)))
    }
  }).toSorted((a, b) => a.what.localeCompare(b.what))
}

/** Pieces of the files as blocks, of each size as many, put into a store in memory that compresses whatever gains. */
async function compareSizes (files: readonly Uint8Array[], count: number): Promise<Array<Record<string, string | number>>> {
  const rows: Array<Record<string, string | number>> = []
  const large = files.filter(({ byteLength }) => byteLength > 1_000_000)

  for (const size of SMALL_SIZES) {
    const pieces = large.flatMap(file => Array.from({ length: Math.ceil(count / large.length) }, (_, i) => {
      const start = Math.floor((file.byteLength - size) / count * i)

      return file.subarray(start, start + size)
    }))
    const blocks = await makeBlocks(pieces)
    const child = new MemoryBlockstore()
    const store = new CompressedBlockstore(child, { minSize: 0 })
    const { wall } = await measure(async () => eachOf(blocks, 1, async ({ cid, bytes }) => { await store.put(cid, bytes) }))
    const { ratio, blocks: stored, codecs } = await stats(child)

    rows.push({
      what: `put, ${size} bytes`,
      side: 'zstd, in memory',
      ratio: Number(ratio.toFixed(3)),
      'gain, %': Math.round((codecs.zstd?.blocks ?? 0) / stored * 100),
      'µs a block': Math.round(wall * 1000 / blocks.length)
    })
  }

  return rows
}

/** Have the operating system write a directory to the disk and drop it from its cache. False where that cannot be done. */
function forget (path: string): boolean {
  const files = filesOf(path)

  return files.every(file => spawnSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none']).status === 0)
}

async function eachOf (blocks: readonly Block[], concurrency: number, work: (block: Block) => Promise<void>): Promise<void> {
  const rest = blocks.values()

  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const block of rest) {
      await work(block)
    }
  }))
}

/** The time of one of several runs, on average. */
async function measureOften (work: () => Promise<void>, times: number): Promise<Time> {
  const { wall, cpu } = await measure(async () => {
    for (let i = 0; i < times; i++) {
      await work()
    }
  })

  return { wall: wall / times, cpu: cpu / times }
}

/** As whoever needs the block in one piece does it. */
async function get (store: Blockstore, { cid, bytes }: Block): Promise<void> {
  const chunks = await Array.fromAsync<Uint8Array>(store.get(cid))
  const read = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)

  if (read.byteLength !== bytes.byteLength) {
    throw new Error(`${read.byteLength} bytes were read instead of ${bytes.byteLength}`)
  }
}
