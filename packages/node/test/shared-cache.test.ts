import { mkdtemp, open as openFile, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect, it as base, vi } from 'vitest'
import { SharedCache } from '../src/cache/shared-cache.ts'

const SIZE = 1024 * 1024

interface Block {
  cid: CID
  bytes: Uint8Array
}

const it = base.extend<{ directory: string, open: (size?: number) => Promise<SharedCache> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-shared-cache-'))
    await use(join(directory, 'cache'))
    await rm(directory, { recursive: true, force: true })
  },
  open: async ({ directory }, use) => {
    const opened: SharedCache[] = []
    const onFailure = vi.fn()

    await use(async (size = SIZE) => {
      const cache = new SharedCache({ directory, size: () => size, onFailure })
      opened.push(cache)
      await cache.open()

      return cache
    })
    await Promise.all(opened.map(async cache => cache.close()))
    expect(onFailure).not.toHaveBeenCalled()
  }
})

async function block (fill: number, size = 1000): Promise<Block> {
  const bytes = new Uint8Array(size).fill(fill)

  return { bytes, cid: CID.createV1(raw.code, await sha256.digest(bytes)) }
}

async function files (directory: string): Promise<string[]> {
  const entries = await readdir(join(directory, 'blocks'), { recursive: true, withFileTypes: true })

  return entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

async function kept (cache: SharedCache, blocks: readonly Block[]): Promise<boolean[]> {
  return Promise.all(blocks.map(async ({ cid }) => await cache.get(cid) != null))
}

it('gives a process what another one keeps, while both run', async ({ open }) => {
  const [a, b] = [await open(), await open()]
  const { cid, bytes } = await block(1)
  await a.put(cid, bytes)

  await expect.poll(async () => b.get(cid)).toEqual(bytes)
})

it('frees what it was given to keep once that is written, and not what it gave to others', async ({ open }) => {
  const cache = await open()
  const [given, { cid, bytes }] = [new Uint8Array(1000).fill(1), await block(2)]
  await cache.keep('piece', given)
  await cache.put(cid, bytes)
  const read = await cache.read('piece', async () => true)
  expect(read).toEqual(given)
  await cache.close()

  expect(given.byteLength).toBe(0)
  expect(read?.byteLength).toBe(1000)
  expect(bytes.byteLength).toBe(1000)
})

it('drops what was used least recently by any process', async ({ directory, open }) => {
  vi.useFakeTimers({ toFake: ['Date'] })

  try {
    const blocks = await Promise.all([1, 2, 3, 4].map(async fill => block(fill, 100_000)))
    const a = await open()

    for (const { cid, bytes } of blocks.slice(0, 3)) {
      vi.setSystemTime(Date.now() + 1000)
      await a.put(cid, bytes)
    }

    await a.close()
    vi.setSystemTime(Date.now() + 1000)
    const b = await open(350_000)
    await b.get(blocks[0].cid)
    await b.close()
    vi.setSystemTime(Date.now() + 1000)
    const c = await open(350_000)
    await c.put(blocks[3].cid, blocks[3].bytes)
    await c.close()

    expect(await kept(await open(), blocks)).toEqual([true, false, true, true])
    expect(await files(directory)).toHaveLength(3)
  } finally {
    vi.useRealTimers()
  }
})

it('does not hand out a block that is damaged, and keeps it again', async ({ directory, open }) => {
  const cache = await open()
  const { cid, bytes } = await block(1)
  await cache.put(cid, bytes)
  await cache.close()
  const [file] = await files(directory)
  await writeFile(file, 'damaged')
  const again = await open()

  expect(await again.get(cid)).toBeUndefined()
  await again.put(cid, bytes)
  await again.close()
  expect(await kept(await open(), [{ cid, bytes }])).toEqual([true])
})

it('does not keep a block that needs most of the space', async ({ directory, open }) => {
  const cache = await open(100_000)
  const { cid, bytes } = await block(1, 60_000)
  await cache.put(cid, bytes)
  await cache.close()

  expect(await readdir(directory)).not.toContain('blocks')
})

it('begins anew when its table was damaged, and deletes what it no longer knows', async ({ directory, open }) => {
  const cache = await open()
  const blocks = await Promise.all([1, 2].map(async fill => block(fill)))
  await cache.put(blocks[0].cid, blocks[0].bytes)
  await cache.close()
  await writeFile(join(directory, 'index.db'), 'not a database'.repeat(100))
  const again = await open()
  await again.put(blocks[1].cid, blocks[1].bytes)
  await again.close()

  expect(await kept(await open(), blocks)).toEqual([false, true])
  await expect.poll(async () => (await readdir(directory)).filter(name => name.startsWith('old-'))).toEqual([])
})

it('keeps nothing more when its table turns out to be damaged, and begins anew the next time', async ({
  directory,
  open
}) => {
  const blocks = await Promise.all([1, 2, 3].map(async fill => block(fill)))
  const before = await open()
  await before.put(blocks[0].cid, blocks[0].bytes)
  await before.close()
  const index = await openFile(join(directory, 'index.db'), 'r+')
  // the first page, with the schema, is whole
  const { size } = await index.stat()
  await index.write(Buffer.alloc(size - 4096, 0xff), 0, size - 4096, 4096)
  await index.close()
  const onFailure = vi.fn()
  const damaged = new SharedCache({ directory, size: () => SIZE, onFailure })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })

  try {
    await damaged.open()
    await damaged.get(blocks[0].cid)
    vi.advanceTimersByTime(1000)
    await vi.waitFor(() => { expect(onFailure).toHaveBeenCalledOnce() })
    await damaged.put(blocks[1].cid, blocks[1].bytes)
    await damaged.close()
  } finally {
    vi.useRealTimers()
  }

  expect(await files(directory)).toHaveLength(1)
  const after = await open()
  await after.put(blocks[2].cid, blocks[2].bytes)
  await after.close()
  expect(await kept(await open(), blocks)).toEqual([false, false, true])
})

it('keeps new blocks although the clock was ahead when others were used', async ({ open }) => {
  vi.useFakeTimers({ toFake: ['Date'] })

  try {
    const now = Date.now()
    const blocks = await Promise.all([1, 2, 3, 4].map(async fill => block(fill, 100_000)))
    vi.setSystemTime(now + 1e11)
    const ahead = await open()
    await Promise.all(blocks.slice(0, 3).map(async ({ cid, bytes }) => ahead.put(cid, bytes)))
    await ahead.close()
    vi.setSystemTime(now)
    const cache = await open(350_000)
    await cache.put(blocks[3].cid, blocks[3].bytes)
    await cache.close()

    expect((await kept(await open(), blocks)).filter(isKept => isKept)).toHaveLength(3)
    expect(await kept(await open(), blocks.slice(3))).toEqual([true])
  } finally {
    vi.useRealTimers()
  }
})

it('deletes files of killed processes that its table does not know', async ({ directory, open }) => {
  const cache = await open()
  const { cid, bytes } = await block(1)
  await cache.put(cid, bytes)
  await cache.close()
  const [file] = await files(directory)
  const unknown = `${file.slice(0, -5)}aaaaa`
  await writeFile(unknown, 'x')
  await utimes(unknown, 1000, 1000)
  await open()

  await expect.poll(async () => files(directory)).toEqual([file])
})

it('never takes more space than it may, though many blocks come at once', async ({ directory, open }) => {
  const blocks = await Promise.all(Array.from({ length: 60 }, async (_, i) => block(i, 50_000)))
  const cache = await open()
  const ended = new AbortController()
  let largest = 0
  const putting = Promise.all(blocks.map(async ({ cid, bytes }) => cache.put(cid, bytes)))
    .then(async () => cache.close())
    .finally(() => { ended.abort() })

  while (!ended.signal.aborted) {
    largest = Math.max(largest, (await files(directory).catch(() => [])).length * 52 * 1024)
  }

  await putting
  expect(largest).toBeLessThanOrEqual(SIZE)
  expect(cache.bytes).toBe((await files(directory)).length * 52 * 1024)
  // as full as when they come one after the other
  expect(cache.bytes).toBeGreaterThan(SIZE * 0.8)
})

it('never takes more space than it may, however fast blocks come', async ({ directory, open }) => {
  const blocks = await Promise.all(Array.from({ length: 60 }, async (_, i) => block(i, 50_000)))
  const cache = await open()
  let largest = 0

  for (const { cid, bytes } of blocks) {
    await cache.put(cid, bytes)
    largest = Math.max(largest, (await files(directory).catch(() => [])).length * 52 * 1024)
  }

  expect(largest).toBeLessThanOrEqual(SIZE)
  await cache.close()
  expect(cache.bytes).toBe((await files(directory)).length * 52 * 1024)
})
