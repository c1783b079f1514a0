import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryBlockstore } from 'blockstore-core'
import all from 'it-all'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it as base, vi } from 'vitest'
import { openRepo } from '../src/repo/repo.ts'
import { withStoreCache } from '../src/repo/store-cache.ts'
import type { Repo } from '../src/repo/repo.ts'

const it = base.extend<{ repo: Repo }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  repo: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-store-cache-'))
    const repo = await openRepo(join(directory, 'repo'), { sync: false })
    const traffic = { cache: { hits: 0, misses: 0 } }
    const shared = { name: 's3://bucket', isRemote: true, traffic } as NonNullable<Repo['shared']>

    await use({ ...repo, blockstore: new MemoryBlockstore(), shared })
    await rm(directory, { recursive: true, force: true })
  }
})

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
    const init = { size: 150_000, onNote: () => {} }
    const first = await withStoreCache(repo, init)

    for (const cid of cids) {
      await all(first.repo.blockstore.get(cid))
    }

    await first.close()
    const get = vi.spyOn(repo.blockstore, 'get')
    const { repo: { blockstore }, close } = await withStoreCache(repo, init)

    for (const cid of cids) {
      await all(blockstore.get(cid))
    }

    expect(get.mock.calls.length).toBe(2)
    await close()
  })

  it('keeps nothing of a repo of its own, of a mounted directory, or with a size of 0', async ({ repo }) => {
    const init = { onNote: () => {} }
    const { shared, ...own } = repo
    const mounted = { ...repo, shared: { ...shared, isRemote: false } as NonNullable<typeof shared> }

    expect((await withStoreCache(own, init)).repo).toBe(own)
    expect((await withStoreCache(mounted, init)).repo).toBe(mounted)
    expect((await withStoreCache(repo, { ...init, size: 0 })).repo).toBe(repo)
    expect(await readdir(repo.path)).not.toContain('store-cache')
  })
})
