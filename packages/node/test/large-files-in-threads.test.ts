/** @module-tag long */
import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, open, readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { BlockSink } from '../src/add/block-sink.ts'
import { SmallFiles } from '../src/add/small-files.ts'
import { holdDirectory } from '../src/disk/held-directory.ts'
import { HeldTree } from '../src/disk/held-tree.ts'
import { TreeFile } from '../src/disk/tree-file.ts'
import { Thread } from '../src/threads/thread-pool.ts'
import { OLD } from './add-trees.ts'
import type { LargeBlocks, ReadLarge } from '../src/add/small-files-protocol.ts'
import type { SmallFileResult } from '../src/add/small-files-messages.ts'

/** Of hexadecimal digits: some six steps of a thread. */
const SIZE = 24 * 1024 * 1024

let directory: string
let path: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-large-'))
  path = join(directory, 'large')
})

afterAll(async () => { await rm(directory, { recursive: true }) })

/** Write a file in a thread, and do something when its first step is done and the thread waits. */
async function writeLarge (change: () => Promise<void>): Promise<{
  result: SmallFileResult | undefined
  /** How often it was told that the file has changed. */
  changes: number
  read: number
  blockstore: MemoryBlockstore
}> {
  await writeFile(path, randomBytes(SIZE / 2).toString('hex'))
  await utimes(path, OLD, OLD)
  const handle = await open(path)
  const stats = await handle.stat({ bigint: true })
  await handle.close()

  const blockstore = new MemoryBlockstore()
  let isFirst = true
  const sink = new class extends BlockSink {
    override async want (...args: Parameters<BlockSink['want']>): ReturnType<BlockSink['want']> {
      await (isFirst ? change() : undefined)
      isFirst = false

      return super.want(...args)
    }
  }({ blockstore, storage: undefined as never })
  let [changes, read] = [0, 0]
  const tree = new HeldTree(await holdDirectory(directory))
  const file = new TreeFile({
    tree,
    below: '',
    name: 'large',
    path: 'large',
    stats,
    examined: Date.now(),
    events: { onRead () {}, onChanged () { changes++ } }
  })
  const files = new SmallFiles({ threads: 1, sink, options: {} })

  try {
    const result = await files.writeLarge({ file, metadata: {} }, bytes => { read += bytes })

    return { result, changes, read, blockstore }
  } finally {
    await files.close()
    await tree.close()
  }
}

async function stored ({ result, blockstore }: Awaited<ReturnType<typeof writeLarge>>): Promise<Buffer> {
  const parts: Uint8Array[] = []

  for await (const part of ipfsz({ blockstore }).cat(result?.cid ?? expect.fail('it was not written'))) {
    parts.push(part)
  }

  return Buffer.concat(parts)
}

it('stores a large file that does not change, and says that it is the same', async () => {
  const written = await writeLarge(async () => {})

  expect(written).toMatchObject({ result: { isSame: true, bytes: SIZE }, changes: 0, read: SIZE })
  expect((await stored(written)).equals(await readFile(path))).toBe(true)
})

it.for<[what: string, change: () => Promise<void>]>([
  ['grows', async () => { await appendFile(path, 'more') }],
  ['is cut short', async () => { await truncate(path, SIZE - 5) }],
  ['is written to', async () => {
    const handle = await open(path, 'r+')
    await handle.write('other', SIZE - 5)
    await handle.close()
  }]
])('stores what it reads of a large file that %s meanwhile, and says that it has changed', async ([, change]) => {
  const written = await writeLarge(change)

  expect(written).toMatchObject({ result: { isSame: false }, changes: 1 })
  expect((await stored(written)).equals(await readFile(path))).toBe(true)
})

it('stores a large file that was opened, whatever takes its name, and does not take the other for it', async () => {
  let before = Buffer.alloc(0)
  const written = await writeLarge(async () => {
    before = await readFile(path)
    await writeFile(join(directory, 'other'), 'another file')
    await rename(join(directory, 'other'), path)
  })

  expect(written.result?.isSame).toBe(false)
  expect((await stored(written)).equals(before)).toBe(true)
})

it('has one large file in work in each thread: each takes memory', async () => {
  const names = ['one', 'two', 'three', 'four', 'five']
  await Promise.all(names.map(async name => writeFile(join(directory, name), randomBytes(SIZE / 8).toString('hex'))))
  const tree = new HeldTree(await holdDirectory(directory))
  const files = new SmallFiles({ threads: 2, sink: undefined, options: {} })
  const inWork = new Map<Thread, number>()
  let most = 0
  const { call } = Thread.prototype
  const spy = vi.spyOn(Thread.prototype, 'call').mockImplementation(async function (this: Thread, request: unknown) {
    const { path } = request as Partial<ReadLarge>
    inWork.set(this, (inWork.get(this) ?? 0) + (path == null ? 0 : 1))
    most = Math.max(most, ...inWork.values())
    const answer = await call.bind(this)(request)
    inWork.set(this, (inWork.get(this) ?? 0) - ((answer as Partial<LargeBlocks>).end == null ? 0 : 1))

    return answer
  })

  try {
    const results = await Promise.all(names.map(async name => {
      const stats = await stat(join(directory, name), { bigint: true })
      const events = { onRead () {}, onChanged () {} }
      const file = new TreeFile({ tree, below: '', name, path: name, stats, examined: Date.now(), events })

      return files.writeLarge({ file, metadata: {} }, () => {})
    }))

    expect(results.map(result => result?.isSame)).toEqual(names.map(() => true))
    expect(inWork.size).toBe(2)
    expect(most).toBe(1)
  } finally {
    spy.mockRestore()
    await files.close()
    await tree.close()
  }
})
