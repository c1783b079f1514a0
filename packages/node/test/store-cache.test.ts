import { randomUUID } from 'node:crypto'
import fs, { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryBlockstore } from 'blockstore-core'
import all from 'it-all'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it as base, onTestFinished, vi } from 'vitest'
import { openRepo } from '../src/repo/repo.ts'
import { StoreAwayError } from '../src/errors.ts'
import { readKeptMark } from '../src/repo/kept-mark.ts'
import { withStoreCache } from '../src/repo/store-cache.ts'
import { StoreWatch } from '@ipfsz/shared-store/objects'
import type { Repo } from '../src/repo/repo.ts'

const it = base.extend<{ repo: Repo }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  repo: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-store-cache-'))
    const repo = await openRepo(join(directory, 'repo'), { sync: false })
    const traffic = { cache: { hits: 0, misses: 0 } }
    const watch = new StoreWatch({ name: 's3://bucket', isRemote: true, look: async () => {} })
    const mark = { id: randomUUID(), compression: { codec: 'zstd' }, leaseTimeout: 30_000 }
    const place = { name: 's3://bucket', isRemote: true, cacheSize: undefined }
    const shared = { ...mark, ...place, traffic, watch } as NonNullable<Repo['shared']>

    await use({ ...repo, blockstore: new MemoryBlockstore(), shared })
    await rm(directory, { recursive: true, force: true })
  }
})

/** Until the test ends: a mocked module would stay with those that other test files of this worker import. */
function replaceStatfs (instead: () => Promise<{ bsize: number, bavail: number }>): void {
  const { statfs } = fs
  fs.statfs = instead as unknown as typeof statfs
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.statfs = statfs
    syncBuiltinESMExports()
  })
}

/** The same repo of a node that keeps so many bytes. */
function withSize (repo: Repo, cacheSize: number): Repo {
  return { ...repo, shared: { ...repo.shared, cacheSize } as NonNullable<Repo['shared']> }
}

/** The bytes of the blocks that are kept. */
async function bytesIn ({ path }: Repo): Promise<number> {
  const files = await readdir(join(path, 'store-cache', 'blocks'), { recursive: true, withFileTypes: true })
    .catch(() => [])
  const sizes = await Promise.all(files.filter(file => file.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))

  return sizes.reduce((sum, size) => sum + size, 0)
}

async function putBlock ({ blockstore }: Repo, size: number, fill: number): Promise<CID> {
  const bytes = new Uint8Array(size).fill(fill)
  const cid = CID.createV1(raw.code, await sha256.digest(bytes))
  await blockstore.put(cid, bytes)

  return cid
}

describe('withStoreCache', () => {
  it('reads a block from the store once, also in the next process, and asks it what is there', async ({ repo }) => {
    const cid = await putBlock(repo, 1000, 1)
    const onNote = vi.fn()
    const get = vi.spyOn(repo.blockstore, 'get')
    const has = vi.spyOn(repo.blockstore, 'has')

    for (let process = 0; process < 2; process++) {
      const { repo: cached, close } = await withStoreCache(repo, { onNote })
      expect(Buffer.concat(await all(cached.blockstore.get(cid)))).toEqual(Buffer.alloc(1000, 1))
      expect(await cached.blockstore.has(cid)).toBe(true)
      await close()
    }

    expect(get).toHaveBeenCalledTimes(1)
    expect(has).toHaveBeenCalledTimes(2)
    expect(onNote).not.toHaveBeenCalled()
    expect(repo.shared?.traffic.cache).toEqual({ hits: 1, misses: 1 })
  })

  it('reads what it has kept while the store is away, and says so; the rest fails', async ({ repo }) => {
    const [kept, other] = [await putBlock(repo, 1000, 1), await putBlock(repo, 1000, 2)]
    const onNote = vi.fn()
    const { repo: { blockstore }, close } = await withStoreCache(repo, { onNote })
    await all(blockstore.get(kept))
    const away = new StoreAwayError('s3://bucket', 'the cable is out')
    const refuse = (): never => { throw away }
    vi.spyOn(repo.blockstore, 'has').mockImplementation(refuse)
    vi.spyOn(repo.blockstore, 'get').mockImplementation(refuse)

    expect(await blockstore.has(kept)).toBe(true)
    expect(Buffer.concat(await all(blockstore.get(kept)))).toEqual(Buffer.alloc(1000, 1))
    await expect(blockstore.has(other)).rejects.toBe(away)
    await expect(all(blockstore.get(other))).rejects.toBe(away)

    // the next process finds the mark of the store here
    expect(await readKeptMark(repo.path)).toMatchObject({ id: repo.shared?.id, leaseTimeout: 30_000 })
    repo.shared?.watch.onChange?.(away)
    repo.shared?.watch.onChange?.(undefined)
    expect(onNote.mock.calls.map(([note]) => String(note))).toEqual([
      expect.stringContaining('the cable is out'), expect.stringContaining('is available again')
    ])
    await close()
  })

  it('asks the store again for a block that is damaged on the disk', async ({ repo }) => {
    const cid = await putBlock(repo, 1000, 1)
    const first = await withStoreCache(repo, { onNote: () => {} })
    await all(first.repo.blockstore.get(cid))
    await first.close()
    const entries = await readdir(join(repo.path, 'store-cache', 'blocks'), { recursive: true, withFileTypes: true })
    const [{ parentPath, name }] = entries.filter(entry => entry.isFile())
    await writeFile(join(parentPath, name), 'damaged')
    const { repo: { blockstore }, close } = await withStoreCache(repo, { onNote: () => {} })

    expect(Buffer.concat(await all(blockstore.get(cid)))).toEqual(Buffer.alloc(1000, 1))
    await close()
  })

  it('keeps what was read last, within its size', async ({ repo }) => {
    const cids = await Promise.all([1, 2, 3, 4, 5, 6].map(async fill => putBlock(repo, 30_000, fill)))
    const sized = withSize(repo, 150_000)
    const init = { onNote: () => {} }
    const first = await withStoreCache(sized, init)

    for (const cid of cids) {
      await all(first.repo.blockstore.get(cid))
    }

    await first.close()
    const get = vi.spyOn(repo.blockstore, 'get')
    const { repo: { blockstore }, close } = await withStoreCache(sized, init)

    for (const cid of cids) {
      await all(blockstore.get(cid))
    }

    expect(get.mock.calls.length).toBe(2)
    await close()
  })

  it('keeps as much in each process, as what is kept does not count as space that is taken', async ({ repo }) => {
    const cids = await Promise.all([1, 2, 3, 4].map(async fill => putBlock(repo, 30_000, fill)))
    // of 300,000 bytes half are used: the four blocks and what the disk takes for them
    replaceStatfs(async () => ({ bsize: 1, bavail: 300_000 - await bytesIn(repo) }))

    for (let process = 0; process < 3; process++) {
      const { repo: { blockstore }, close } = await withStoreCache(repo, { onNote: () => {} })

      for (const cid of cids) {
        await all(blockstore.get(cid))
      }

      await close()
    }

    const get = vi.spyOn(repo.blockstore, 'get')
    const { repo: { blockstore }, close } = await withStoreCache(repo, { onNote: () => {} })
    await Promise.all(cids.map(async cid => all(blockstore.get(cid))))
    await close()

    expect(get).not.toHaveBeenCalled()
  })

  it('keeps nothing of a repo of its own, of a mounted directory, or with a size of 0', async ({ repo }) => {
    const init = { onNote: () => {} }
    const { shared, ...own } = repo
    const mounted = { ...repo, shared: { ...shared, isRemote: false } as NonNullable<typeof shared> }

    expect((await withStoreCache(own, init)).repo).toBe(own)
    expect((await withStoreCache(mounted, init)).repo).toBe(mounted)
    const none = withSize(repo, 0)
    expect((await withStoreCache(none, init)).repo).toBe(none)
    expect(await readdir(repo.path)).not.toContain('store-cache')
  })
})
