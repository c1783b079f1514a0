import { randomBytes, randomUUID } from 'node:crypto'
import fs, { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { PackStorage } from '@ipfsz/shared-store/packs'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
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
    const objects = new MemoryObjects()
    const packs = new PackStorage({ objects })
    const shared = { ...mark, ...place, traffic, watch, objects, packs } as unknown as NonNullable<Repo['shared']>

    await use({ ...repo, blockstore: packs, shared })
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

async function addBlock ({ shared }: Repo, size: number): Promise<CID> {
  const bytes = new Uint8Array(randomBytes(size))
  const cid = CID.createV1(raw.code, await sha256.digest(bytes))
  await shared?.packs?.put(cid, bytes)
  await shared?.packs?.sync()

  return cid
}

describe('withStoreCache', () => {
  it('says when the store is away and back, and keeps its mark for the next process', async ({ repo }) => {
    const onNote = vi.fn()
    const { close } = await withStoreCache(repo, { onNote })
    repo.shared?.watch.onChange?.(new StoreAwayError('s3://bucket', 'the cable is out'))
    repo.shared?.watch.onChange?.(undefined)

    expect(await readKeptMark(repo.path)).toMatchObject({ id: repo.shared?.id, leaseTimeout: 30_000 })
    expect(onNote.mock.calls.map(([note]) => String(note))).toEqual([
      expect.stringContaining('the cable is out'), expect.stringContaining('is available again')
    ])
    await close()
  })

  it('keeps as much in each process, as what is kept does not count as space that is taken', async ({ repo }) => {
    const cid = await addBlock(repo, 500_000)
    // of 1,300,000 bytes half are used: the pieces of the block, and what the disk takes for them
    replaceStatfs(async () => ({ bsize: 1, bavail: 1_300_000 - await bytesIn(repo) }))
    const read = async (): Promise<void> => {
      const { repo: { blockstore }, close } = await withStoreCache(repo, { onNote: () => {} })
      await all(blockstore.get(cid))
      await close()
    }

    await read()
    await read()
    await read()
    const get = vi.spyOn(repo.shared?.objects ?? expect.fail(), 'get')
    await read()

    expect(get).not.toHaveBeenCalled()
  })

  it('keeps nothing of an older store, whose blocks are objects', async ({ repo }) => {
    const older = { ...repo, shared: { ...repo.shared, packs: undefined } as NonNullable<Repo['shared']> }

    expect((await withStoreCache(older, { onNote: () => {} })).repo).toBe(older)
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
