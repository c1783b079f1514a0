import { spawnSync } from 'node:child_process'
import { globSync, statfsSync, statSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { measure, median, progress, rotate, rounded, spread, sum } from './benchmark.ts'
import { BARE, BLOCKSTORE_SIDES, eachOf, makeBlocks, readWith } from './support/blockstore-sides.ts'
import { compressibleFiles, withCorpus } from './support/corpus.ts'
import { FLOOR } from './support/floor/names.ts'
import { collectGarbage } from './support/garbage.ts'
import { smallBlocks } from './support/small-blocks.ts'
import type { Benchmark, Row, Time } from './benchmark.ts'
import type { Block, OpenSide, Side } from './support/blockstore-sides.ts'

const MB = 1e6

/** The size of the blocks that UnixFS importers make, in bytes. */
const BLOCK_SIZE = 1024 * 1024

/** How many blocks are requested at a time, if not one by one: as many as Helia's exporter requests. */
const CONCURRENCY = 8

/** How often all blocks are read from the cache for one figure: reading them once takes only some 30 milliseconds. */
const CACHED_READS = 4

/** The type of a file system in memory, not on a disk: `TMPFS_MAGIC` of statfs(2). */
const TMPFS = 0x01021994

type Note = (side: Side, what: string, time: Time) => void

export const benchmark: Benchmark = {
  question: 'what a CompressedBlockstore costs and saves against an FsBlockstore alone, with blocks of 1 MiB, and ' +
    'from which size upwards blocks shrink. A "first get" reads a block that the store has not read before. "The ' +
    'floor" does what the default options cannot do without: it compresses and writes, or reads, decompresses and ' +
    'hashes, as many blocks at a time',
  inputs: ['corpus', 'file'],

  async run (options) {
    const { smoke, file } = options

    return withCorpus(options, async corpus => {
      const groups = file == null
        ? Map.groupBy(compressibleFiles(corpus), ({ group }) => group)
        : new Map([[basename(file), [{ path: file }]]])
      const compared: Row[] = []
      const cids: Row[] = []
      const all: Uint8Array[] = []

      for (const [name, paths] of groups) {
        const files = await Promise.all(paths.map(async ({ path }) => readFile(path)))
        const blocks = await makeBlocks(files.flatMap(cut))

        compared.push(...await compare(name, blocks, join(corpus.directory, 'blocks'), smoke))
        cids.push({
          files: name,
          blocks: blocks.length,
          bytes: sizeOf(blocks),
          'CID of the first': blocks[0].cid.toString()
        })
        all.push(...files)
      }

      return [
        { title: `Blocks of 1 MiB (${corpus.source})`, rows: compared },
        { title: `Small blocks, with zstd (${corpus.source})`, rows: await smallBlocks(all, smoke ? 20 : 1000) },
        { title: `What was put (${corpus.source})`, rows: cids }
      ]
    })
  }
}

function cut (file: Uint8Array): Uint8Array[] {
  return Array.from(
    { length: Math.ceil(file.byteLength / BLOCK_SIZE) },
    (_, i) => file.subarray(i * BLOCK_SIZE, (i + 1) * BLOCK_SIZE)
  )
}

function sizeOf (blocks: readonly Block[]): number {
  return sum(blocks.map(({ bytes }) => bytes.byteLength))
}

async function compare (files: string, blocks: readonly Block[], path: string, smoke: boolean): Promise<Row[]> {
  const rounds = smoke ? 1 : 9
  const times = new Map<string, Time[]>()
  const ratios = new Map<Side, number>()
  const note: Note = (side, what, time) => {
    times.set(keyOf(side, what), [...times.get(keyOf(side, what)) ?? [], time])
  }

  // all puts come before the reads, since the system keeps writing to the disk after puts
  for (let round = 0; round <= rounds; round++) {
    for (const side of rotate(BLOCKSTORE_SIDES, round).filter(({ readsOnly }) => readsOnly !== true)) {
      await mkdir(path)
      const { put } = await side.open(path)
      collectGarbage()
      const time = await measure(async () => eachOf(blocks, CONCURRENCY, put))
      await rm(path, { recursive: true })

      if (round > 0) {
        note(side, 'put, 8 at a time', time)
      }
    }
  }

  for (let round = 0; round < rounds; round++) {
    progress(`${files}, round ${round + 1} of ${rounds}`)

    for (const side of rotate(BLOCKSTORE_SIDES, round)) {
      await mkdir(path)
      const opened = await side.open(path)
      await eachOf(blocks, CONCURRENCY, opened.put)
      await measureReads(side, opened, { blocks, path, cachedReads: smoke ? 1 : CACHED_READS, note })
      ratios.set(side, ratios.get(side) ?? await opened.ratio())
      await rm(path, { recursive: true })
    }
  }

  return toRows(files, blocks, BLOCKSTORE_SIDES, (side, what) => times.get(keyOf(side, what)) ?? [], ratios)
}

function keyOf ({ name }: Side, what: string): string {
  return `${name}\n${what}`
}

async function measureReads (side: Side, { reader }: OpenSide, { blocks, path, cachedReads, note }: {
  blocks: readonly Block[]
  path: string
  cachedReads: number
  note: Note
}): Promise<void> {
  for (const [how, concurrency] of [['one by one', 1], ['8 at a time', CONCURRENCY]] as const) {
    const readAll = async (read = reader()): Promise<void> =>
      eachOf(blocks, concurrency, async block => readWith(read, block))
    const read = reader()
    await readAll(read)

    collectGarbage()
    note(side, `get, cached, ${how}`, await measureOften(async () => readAll(read), cachedReads))
    collectGarbage()
    note(side, `first get, cached, ${how}`, await measureOften(async () => readAll(), cachedReads))

    if (forget(path)) {
      collectGarbage()
      note(side, `first get, from the disk, ${how}`, await measure(async () => readAll()))
    }
  }
}

function toRows (
  files: string,
  blocks: readonly Block[],
  sides: readonly Side[],
  of: (side: Side, what: string) => Time[],
  ratios: ReadonlyMap<Side, number>
): Row[] {
  const size = sizeOf(blocks)
  const kinds = [
    'put, 8 at a time',
    ...['get, cached', 'first get, cached', 'first get, from the disk'].flatMap(
      what => ['8 at a time', 'one by one'].map(how => `${what}, ${how}`)
    )
  ]

  return kinds.flatMap(what => sides.filter(side => of(side, what).length > 0).map(side => {
    const wall = of(side, what).map(time => time.wall)
    const timesAsFast = (name: string): number => {
      const other = sides.find(side => side.name === name) as Side

      return rounded(median(of(other, what).map(time => time.wall)) / median(wall))
    }

    return {
      files,
      what,
      side: side.name,
      'MB/s': Math.round(size / MB / median(wall) * 1000),
      'times as fast': timesAsFast(BARE),
      'as its child': timesAsFast(side.child),
      'share of the floor': timesAsFast(FLOOR),
      ratio: Number((ratios.get(side) ?? 1).toFixed(3)),
      'ms, median': Math.round(median(wall)),
      'ms, spread': spread(wall),
      'CPU ms': Math.round(median(of(side, what).map(time => time.cpu)))
    }
  }))
}

/** Sync a directory to disk, and drop it from the system's cache. False if the system cannot do that. */
function forget (path: string): boolean {
  const files = globSync('**', { cwd: path }).map(name => join(path, name)).filter(name => statSync(name).isFile())

  return statfsSync(path).type !== TMPFS &&
    files.every(file => {
      const args = [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none']

      return spawnSync('dd', args).status === 0
    })
}

/** The mean time of several runs. */
async function measureOften (work: () => Promise<void>, times: number): Promise<Time> {
  const { wall, cpu } = await measure(async () => {
    for (let i = 0; i < times; i++) {
      await work()
    }
  })

  return { wall: wall / times, cpu: cpu / times }
}
