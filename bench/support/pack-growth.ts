import { hash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PackedBlockstore } from '@ipfsz/blockstore-packed'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { measure } from '../benchmark.ts'
import { peakMemory } from './peak-memory.ts'
import type { Row } from '../benchmark.ts'
import type { PackBlock } from './pack-sides.ts'

const READS = 10_000
/** Blocks that are deleted with one call. */
const BATCH = 8192

/** What a store takes for some number of blocks: processor seconds, since those grow with the work alone. */
export async function measureGrowth (directory: string, count: number): Promise<Row> {
  const store = new PackedBlockstore(directory, { durability: 'sync' })
  await store.open()
  const add = await cpu(async () => {
    for (let i = 0; i < count; i++) {
      const { cid, bytes } = blockOf(i)
      await store.put(cid, bytes)
    }

    await store.close()
  })
  await store.open()
  let listed = 0
  const list = await cpu(async () => {
    for await (const blocks of store.list()) {
      listed += blocks.length
    }
  })
  const numbers = Array.from({ length: Math.min(READS, count) }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0)
  const wanted = numbers.map(i => blockOf(i % count).cid)
  const missing = numbers.map(i => blockOf(i + 2 ** 32).cid)
  const read = await cpu(async () => {
    for (const cid of wanted) {
      await Array.fromAsync(store.get(cid))
    }
  })
  const has = await cpu(async () => store.hasMany(missing))
  const size = sizeOf(directory)
  const remove = await cpu(async () => {
    for (let start = 0; start < count; start += 2 * BATCH) {
      const cids = Array.from({ length: Math.min(BATCH, count - start) }, (_, i) => blockOf(start + i).cid)
      await Array.fromAsync(store.deleteMany(cids))
    }
  })
  const repack = await cpu(async () => store.repack())
  const rebuild = await cpu(async () => store.rebuildIndex())
  await store.close()

  if (listed !== count) {
    throw new Error(`${listed} blocks were listed, not ${count}`)
  }

  return {
    blocks: count,
    'add, s': add,
    'list, s': list,
    [`read ${wanted.length}, s`]: read,
    [`has ${missing.length} missing, s`]: has,
    'delete half, s': remove,
    'repack, s': repack,
    'rebuild, s': rebuild,
    'MB on disk': Math.round(size.bytes / 1e6),
    files: size.files,
    'peak MB': Math.round(peakMemory() / 1e6)
  }
}

async function cpu (work: () => Promise<unknown>): Promise<number> {
  const time = await measure(work)

  return Number((time.cpu / 1000).toFixed(1))
}

/** Blocks of 100 to 2,000 bytes, the same at each run. */
function blockOf (i: number): PackBlock {
  const digest = hash('sha256', String(i), 'buffer')
  const text = `${i} ${digest.toString('hex')} a line of some text that compresses as text does\n`
  const bytes = Buffer.alloc(100 + digest.readUInt16LE(0) % 1900, text)

  return { cid: CID.createV1(raw.code, Digest.create(sha256.code, hash('sha256', bytes, 'buffer'))), bytes }
}

function sizeOf (directory: string): { files: number, bytes: number } {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())

  return {
    files: files.length,
    bytes: files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  }
}
