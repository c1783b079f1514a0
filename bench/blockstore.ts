import { spawnSync } from 'node:child_process'
import { globSync, statfsSync, statSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { measure, progress, rotate, sum } from './benchmark.ts'
import { measureOften, Times, toColumns } from './support/blockstore-columns.ts'
import { compareInMemory } from './support/blockstore-memory.ts'
import { BARE, BLOCKSTORE_SIDES, CONCURRENCY, eachOf, makeBlocks, readWith } from './support/blockstore-sides.ts'
import { compressibleFiles, withCorpus } from './support/corpus.ts'
import { FLOOR, IN_MEMORY } from './support/floor/names.ts'
import { collectGarbage } from './support/garbage.ts'
import { smallBlocks } from './support/small-blocks.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Block, OpenSide, Read, Side } from './support/blockstore-sides.ts'

/** The size of the blocks that UnixFS importers make, in bytes. */
const BLOCK_SIZE = 1024 * 1024

/** How often all blocks are read from the cache for one figure: reading them once takes only some 30 milliseconds. */
const CACHED_READS = 4

/** Sides that no target is about are measured in every third round. */
const RARE = 3

/** The type of a file system in memory, not on a disk: `TMPFS_MAGIC` of statfs(2). */
const TMPFS = 0x01021994

export const benchmark: Benchmark = {
  question: 'what a CompressedBlockstore costs and saves against an FsBlockstore alone, with blocks of 1 MiB, and ' +
    'from which size upwards blocks shrink. A "first get" reads a block that the store has not read before. "The ' +
    'floor" does what the default options cannot do without: it compresses and writes, or reads, decompresses and ' +
    'hashes, as many blocks at a time. Other codecs, zstd 1 and `none` are measured in every third round',
  inputs: ['corpus', 'file'],

  async run (options) {
    const { smoke, file } = options

    return withCorpus(options, async corpus => {
      const groups = file == null
        ? Map.groupBy(compressibleFiles(corpus), ({ group }) => group)
        : new Map([[basename(file), [{ path: file }]]])
      const compared: Row[] = []
      const inMemory: Row[] = []
      const cids: Row[] = []
      const all: Uint8Array[] = []

      for (const [name, paths] of groups) {
        const files = await Promise.all(paths.map(async ({ path }) => readFile(path)))
        const blocks = await makeBlocks(files.flatMap(cut))

        compared.push(...await compare(name, blocks, join(corpus.directory, 'blocks'), smoke))
        inMemory.push(...await compareInMemory(name, blocks, roundsOf(smoke)))
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
        { title: `${IN_MEMORY} (${corpus.source})`, rows: inMemory },
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

function roundsOf (smoke: boolean): number {
  return smoke ? 1 : 9
}

async function compare (files: string, blocks: readonly Block[], path: string, smoke: boolean): Promise<Row[]> {
  const rounds = roundsOf(smoke)
  const times = new Times()
  const ratios = new Map<Side, number>()

  // all puts come before the reads, since the system keeps writing to the disk after puts. The first round includes
  // compiling the code
  for (let round = -1; round < rounds; round++) {
    for (const side of sidesOf(round).filter(({ readsOnly }) => readsOnly !== true)) {
      await mkdir(path)
      const { put } = await side.open(path)
      collectGarbage()
      const time = await measure(async () => eachOf(blocks, CONCURRENCY, put))
      await rm(path, { recursive: true })

      if (round >= 0) {
        times.note(side.name, 'put, 8 at a time', time)
      }
    }
  }

  for (let round = 0; round < rounds; round++) {
    progress(`${files}, round ${round + 1} of ${rounds}`)

    for (const side of sidesOf(round)) {
      await mkdir(path)
      const opened = await side.open(path)
      await eachOf(blocks, CONCURRENCY, opened.put)
      await measureReads(side, opened, { blocks, path, cachedReads: smoke ? 1 : CACHED_READS, times })
      ratios.set(side, ratios.get(side) ?? await opened.ratio())
      await rm(path, { recursive: true })
    }
  }

  return toRows(files, blocks, times, ratios)
}

function sidesOf (round: number): Side[] {
  return rotate(BLOCKSTORE_SIDES, round + 1).filter(({ isRare }) => isRare !== true || round < 0 || round % RARE === 0)
}

async function measureReads (side: Side, { reader }: OpenSide, { blocks, path, cachedReads, times }: {
  blocks: readonly Block[]
  path: string
  cachedReads: number
  times: Times
}): Promise<void> {
  for (const [how, concurrency] of [['one by one', 1], ['8 at a time', CONCURRENCY]] as const) {
    const newReader = (): Read => reader(concurrency === 1)
    const readAll = async (read = newReader()): Promise<void> =>
      eachOf(blocks, concurrency, async block => readWith(read, block))
    const read = newReader()
    await readAll(read)

    collectGarbage()
    times.note(side.name, `get, cached, ${how}`, await measureOften(async () => readAll(read), cachedReads))
    collectGarbage()
    times.note(side.name, `first get, cached, ${how}`, await measureOften(async () => readAll(), cachedReads))

    if (forget(path)) {
      collectGarbage()
      times.note(side.name, `first get, from the disk, ${how}`, await measure(async () => readAll()))
    }
  }
}

function toRows (
  files: string,
  blocks: readonly Block[],
  times: Times,
  ratios: ReadonlyMap<Side, number>
): Row[] {
  const kinds = [
    'put, 8 at a time',
    ...['get, cached', 'first get, cached', 'first get, from the disk'].flatMap(
      what => ['8 at a time', 'one by one'].map(how => `${what}, ${how}`)
    )
  ]

  return kinds.flatMap(what => BLOCKSTORE_SIDES.filter(({ name }) => times.of(name, what).length > 0).map(side => ({
    files,
    what,
    side: side.name,
    ratio: Number((ratios.get(side) ?? 1).toFixed(3)),
    ...toColumns(sizeOf(blocks), times.of(side.name, what), {
      'times as fast': times.of(BARE, what),
      'as its child': times.of(side.child, what),
      'share of the floor': times.of(FLOOR, what)
    })
  })))
}

/** Sync a directory to disk, and drop it from the system's cache. False if the system cannot do that. */
function forget (path: string): boolean {
  const files = globSync('**', { cwd: path }).map(name => join(path, name)).filter(name => statSync(name).isFile())
  const dd = ['dd', 'of={}', 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none']

  // by one process: to start one from here takes longer than dd
  return statfsSync(path).type !== TMPFS &&
    spawnSync('xargs', ['-0', '-I{}', ...dd], { input: files.join('\0') }).status === 0
}
