import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { CompressedBlockstore, stats } from '@ipfsz/blockstore-compressed'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { measure, median, progress, rotate, spread } from './benchmark.ts'
import { compressibleFiles, withCorpus } from './support/corpus.ts'
import type { Benchmark, Row, Time } from './benchmark.ts'
import type { CompressedBlockstoreInit } from '@ipfsz/blockstore-compressed'
import type { Blockstore } from 'interface-blockstore'

const MB = 1e6

/** What UnixFS importers make of a file, in bytes. */
const BLOCK_SIZE = 1024 * 1024

/** How many blocks are asked for at one time where it is not one by one: as many as Helia's exporter does. */
const CONCURRENCY = 8

/** How often all blocks are read from the cache for one figure: once is over in some 30 milliseconds. */
const CACHED_READS = 4

/** Files that small blocks are cut from, in bytes. */
const LARGE = 100_000

/** Sizes of small blocks, in bytes. */
const SMALL_SIZES = [64, 96, 128, 192, 256, 1024, 16_384]

/** An envelope's header and the magic number behind it take no more bytes. */
const HEADER = 16

/** How a frame of Zstandard begins (RFC 8878, section 3.1.1). */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

interface Side {
  name: string
  init?: CompressedBlockstoreInit
  /** Reads what the FsBlockstore has by itself. */
  read?: (child: Blockstore, block: Block) => Promise<void>
}

/** What the wrapper can come close to: the same values, read and decompressed with nothing else. */
const ZLIB_ALONE = 'zstd 3, zlib alone'

const SIDES: Side[] = [
  { name: 'FsBlockstore' },
  { name: 'zstd 3, hash', init: { level: 3 } },
  { name: 'zstd 3, length', init: { level: 3, verify: 'length' } },
  { name: 'zstd 3, length, trusted', init: { level: 3, verify: 'length', trustEnvelopes: true } },
  { name: ZLIB_ALONE, init: { level: 3 }, read: getWithZlib },
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

  /** Of a directory, or the one file that is given. */
  async run (options) {
    const { smoke, file } = options

    return withCorpus(options, async corpus => {
      const groups = file == null
        ? Map.groupBy(compressibleFiles(corpus), ({ group }) => group)
        : new Map([[basename(file), filesOf(file).map(path => ({ path }))]])
      const compared: Row[] = []
      const large: Uint8Array[] = []

      for (const [name, paths] of groups) {
        const files = await Promise.all(paths.map(async ({ path }) => readFile(path)))
        const rows = await compare(name, await makeBlocks(files.flatMap(cut)), corpus.directory, smoke ? 1 : 9, smoke ? 1 : CACHED_READS)

        compared.push(...rows)
        large.push(...files.filter(({ byteLength }) => byteLength > LARGE))
      }

      return [
        { title: `Blocks of 1 MiB (${corpus.source})`, rows: compared },
        { title: `Blocks of other sizes, in memory (${corpus.source})`, rows: await compareSizes(large, smoke ? 20 : 1000) }
      ]
    })
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
async function compare (files: string, blocks: readonly Block[], directory: string, rounds: number, cachedReads: number): Promise<Row[]> {
  const size = blocks.reduce((total, { bytes }) => total + bytes.byteLength, 0)
  const times = new Map<string, Time[]>()
  const ratios = new Map<string, number>()
  const note = (side: string, what: string, time: Time): unknown => times.set(`${side}\n${what}`, [...times.get(`${side}\n${what}`) ?? [], time])

  for (let round = 0; round < rounds; round++) {
    progress(`${files}, round ${round + 1} of ${rounds}`)

    for (const { name, init, read: readAlone } of rotate(SIDES, round)) {
      const path = join(directory, 'blocks')
      const child = new FsBlockstore(path)
      const store: Blockstore = init == null ? child : new CompressedBlockstore(child, init)
      const readBlock = async (block: Block): Promise<void> => readAlone == null ? get(store, block) : readAlone(child, block)
      await child.open()

      const put = await measure(async () => eachOf(blocks, CONCURRENCY, async ({ cid, bytes }) => { await store.put(cid, bytes) }))

      if (readAlone == null) {
        note(name, 'put, 8 at a time', put)
      }

      for (const [what, concurrency] of [['one by one', 1], ['8 at a time', CONCURRENCY]] as const) {
        const read = async (): Promise<void> => eachOf(blocks, concurrency, readBlock)

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
      files,
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
async function compareSizes (files: readonly Uint8Array[], count: number): Promise<Row[]> {
  const rows: Row[] = []

  for (const size of SMALL_SIZES) {
    const pieces = files.flatMap(file => Array.from({ length: Math.ceil(count / files.length) }, (_, i) => {
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
  check(await getValue(store, cid), bytes)
}

/** Of the value that is stored, with nothing around Node's own decoder. */
async function getWithZlib (child: Blockstore, { cid, bytes }: Block): Promise<void> {
  const value = await getValue(child, cid)
  const start = Buffer.from(value.subarray(0, HEADER)).indexOf(ZSTD_MAGIC)

  // one byte more than there are, or zlib is asked again whether it is done
  check(start < 0 ? value : await promisify(zstdDecompress)(value.subarray(start), { chunkSize: bytes.byteLength + 1 }), bytes)
}

async function getValue (store: Blockstore, cid: CID): Promise<Uint8Array> {
  const chunks = await Array.fromAsync<Uint8Array>(store.get(cid))

  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
}

function check (read: Uint8Array, bytes: Uint8Array): void {
  if (read.byteLength !== bytes.byteLength) {
    throw new Error(`${read.byteLength} bytes were read instead of ${bytes.byteLength}`)
  }
}
