import { globSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { measure, progress } from './benchmark.ts'
import { measureGrowth } from './support/pack-growth.ts'
import { PACK_SIDES } from './support/pack-sides.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { PackBlock, PackSide } from './support/pack-sides.ts'

/** Blocks to add, and how many of them are read and deleted. */
const BLOCKS = 40_000
const READS = 4000
const DELETES = 2000
/** Blocks of the plan `growth`. */
const GROWTH = [100_000, 1_000_000]

export const benchmark: Benchmark = {
  question: 'what 40,000 small blocks take in packs, in an FsBlockstore, in a LevelBlockstore, and in Kubo: files, ' +
    'bytes, and seconds to add, read at random, list, delete and rebuild the index. A quarter of the blocks does not ' +
    'shrink. PackedBlockstore syncs before it acknowledges; FsBlockstore and LevelBlockstore never sync. Kubo is ' +
    'given a CAR, and started for each measurement',
  inputs: [],
  plans: ['sides', 'growth'],

  async run ({ smoke, plan }) {
    if (plan === 'growth') {
      return [{ title: 'a PackedBlockstore of blocks of 100 to 2,000 bytes, processor time', rows: await grow() }]
    }

    const blocks = makeBlocks(smoke ? 200 : BLOCKS)
    const rows: Row[] = []

    await withDirectory(async directory => {
      for (const side of PACK_SIDES) {
        progress(side.name)
        const path = join(directory, 'store')
        rows.push(await measureSide(side, path, blocks))
        await rm(path, { recursive: true })
      }
    })

    return [{ title: `${blocks.length} blocks of 100 to 3,000 bytes`, rows }]
  }
}

async function grow (): Promise<Row[]> {
  const rows: Row[] = []

  for (const count of GROWTH) {
    progress(`${count} blocks`)
    rows.push(await withDirectory(async directory => measureGrowth(directory, count)))
  }

  return rows
}

async function measureSide (side: PackSide, path: string, blocks: readonly PackBlock[]): Promise<Row> {
  const cids = shuffled(blocks).map(({ cid }) => cid)
  const add = await seconds(async () => side.add(path, blocks))
  const files = globSync('**', { cwd: path, withFileTypes: true }).filter(entry => entry.isFile())
  const used = files.map(({ parentPath, name }) => statSync(join(parentPath, name)))
  const all = blocks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)

  return {
    store: side.name,
    files: files.length,
    'MB of blocks': mega(all),
    'MB on disk': mega(used.reduce((sum, { blocks }) => sum + blocks * 512, 0)),
    'add, s': add,
    [`read ${READS}, s`]: await optional(side.read, async read => read(path, cids.slice(0, READS))),
    'list, s': await optional(side.list, async list => list(path)),
    [`delete ${DELETES}, s`]: await optional(side.delete, async remove => remove(path, cids.slice(0, DELETES))),
    'rebuild, s': await optional(side.rebuild, async rebuild => rebuild(path))
  }
}

async function optional<T> (action: T | undefined, work: (action: T) => Promise<void>): Promise<number | string> {
  return action == null ? '' : seconds(async () => work(action))
}

async function seconds (work: () => Promise<void>): Promise<number> {
  const { wall } = await measure(work)

  return Number((wall / 1000).toFixed(2))
}

function mega (bytes: number): number {
  return Number((bytes / 1e6).toFixed(1))
}

/** Blocks of text, of which each fourth is random. The same at each run. */
function makeBlocks (count: number): PackBlock[] {
  let state = 1
  const next = (): number => {
    state = Math.imul(state, 48_271) >>> 0

    return state
  }

  return Array.from({ length: count }, (_, i) => {
    const size = 100 + next() % 2900
    const bytes = i % 4 === 0
      ? Buffer.from(Array.from({ length: size }, () => next() >>> 24))
      : Buffer.from(JSON.stringify({ i, name: `file-${next()}`, text: WORDS.repeat(50).slice(0, size) }))

    return { cid: CID.createV1(raw.code, Digest.create(sha256.code, hash('sha256', bytes, 'buffer'))), bytes }
  })
}

const WORDS = 'blocks that are small compress well together, and one by one hardly at all; '

function shuffled<T> (values: readonly T[]): T[] {
  return values.map((value, i) => ({ value, order: Math.imul(i + 1, 0x9e3779b1) >>> 0 }))
    .toSorted((a, b) => a.order - b.order).map(({ value }) => value)
}
