import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NodeDisk } from '@ipfsz/blockstore-packed/whole'
import { StoreWatch } from '@ipfsz/shared-store/objects'
import { PackStorage } from '@ipfsz/shared-store/packs'
import { collectBytes } from '@ipfsz/utils/bytes'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { expect, it as base, onTestFinished, vi } from 'vitest'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import { SharedCache } from '../src/cache/shared-cache.ts'
import { openRepo } from '../src/repo/repo.ts'
import { StoreAwayError } from '../src/errors.ts'
import { withStoreCache } from '../src/repo/store-cache.ts'
import type { Repo } from '../src/repo/repo.ts'

/** A node that reads a store of packs, in one process after the other. */
class Reader {
  readonly requests: string[] = []
  isAway = false
  readonly objects = new MemoryObjects({
    before: async ({ kind, key }) => {
      if (this.isAway) {
        throw new StoreAwayError('s3://bucket', 'the cable is out')
      }

      this.requests.push(`${kind} ${key}`)
    }
  })

  readonly directory: string
  readonly #repo: Repo

  constructor (directory: string, repo: Repo) {
    this.directory = directory
    this.#repo = repo
  }

  /** Read in a new process of the node. */
  async process (work: (repo: Repo) => Promise<void>): Promise<void> {
    const packs = new PackStorage({ objects: this.objects, disk: new NodeDisk(join(this.directory, 'index')) })
    const shared = {
      id: 'id', compression: { codec: 'zstd' }, leaseTimeout: 30_000, name: 's3://bucket',
      isRemote: true, cacheSize: undefined, traffic: { cache: { hits: 0, misses: 0 } }, packs,
      watch: new StoreWatch({
        name: 's3://bucket', isRemote: true, look: async () => { await this.objects.stat('mark') }
      })
    } as unknown as NonNullable<Repo['shared']>
    const { repo, close } = await withStoreCache({ ...this.#repo, blockstore: packs, shared }, { onNote: () => {} })
    await work(repo).finally(close)
  }

  async add (count: number): Promise<Array<{ cid: CID, bytes: Uint8Array }>> {
    const packs = new PackStorage({ objects: this.objects })
    const blocks = await Promise.all(Array.from({ length: count }, async () => {
      const bytes = new Uint8Array(randomBytes(50_000))

      return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
    }))

    for (const { cid, bytes } of blocks) {
      await packs.put(cid, bytes)
    }

    await packs.sync()
    this.requests.length = 0

    return blocks
  }
}

const it = base.extend<{ directory: string, reader: Reader }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-cached-packs-'))
    await use(directory)
    await rm(directory, { recursive: true, force: true })
  },
  reader: async ({ directory }, use) => {
    await use(new Reader(directory, await openRepo(join(directory, 'repo'), { sync: false })))
  }
})

async function check (
  { blockstore, together }: Repo,
  blocks: ReadonlyArray<{ cid: CID, bytes: Uint8Array }>
): Promise<void> {
  const cids = blocks.map(({ cid }) => cid)
  const read = await together?.getTogether(cids, { maxBytes: 100_000_000 }) ?? []

  for (const [i, { cid, bytes }] of blocks.entries()) {
    expect(Buffer.compare(read[i] ?? new Uint8Array(), bytes)).toBe(0)
    expect(Buffer.compare(await collectBytes(blockstore.get(cid)), bytes)).toBe(0)
    expect(await blockstore.has(cid)).toBe(true)
  }
}

it('reads packs of a store once, also in the next process, which lists them again', async ({ reader }) => {
  const blocks = await reader.add(30)
  await reader.process(async repo => check(repo, blocks))
  expect(reader.requests.filter(request => request.startsWith('get')).length).toBeLessThan(5)
  reader.requests.length = 0
  await reader.process(async repo => check(repo, blocks))

  expect(reader.requests).toEqual(['list packs/'])
})

it('looks only for what is kept', async ({ reader }) => {
  const read = vi.spyOn(SharedCache.prototype, 'read')
  onTestFinished(() => { read.mockRestore() })
  const blocks = await reader.add(30)
  await reader.process(async repo => check(repo, blocks))
  expect(read).not.toHaveBeenCalled()
  await reader.process(async repo => check(repo, blocks))

  expect(await Promise.all(read.mock.results.map(async ({ value }) => await value != null))).not.toContain(false)
})

it('reads what is kept of packs while the store is away, and fails at once for the rest', async ({ reader }) => {
  const [kept, other] = [await reader.add(10), await reader.add(10)]
  await reader.process(async repo => {
    await check(repo, kept)
    await repo.blockstore.has(other[0].cid)
    reader.isAway = true
    await check(repo, kept)
  })
  await reader.process(async repo => {
    expect(await repo.blockstore.has(kept[0].cid)).toBe(true)
    await check(repo, kept)
    await expect(collectBytes(repo.blockstore.get(other[0].cid))).rejects.toMatchObject({ name: 'StoreAwayError' })
  })
})

it('reads a piece from the store again that is damaged on the disk of the node', async ({ directory, reader }) => {
  const blocks = await reader.add(10)
  await reader.process(async repo => check(repo, blocks))
  const kept = join(directory, 'repo', 'store-cache', 'blocks')
  const files = (await readdir(kept, { recursive: true, withFileTypes: true })).filter(file => file.isFile())
  expect(files.length).toBeGreaterThan(2)

  for (const [i, { parentPath, name }] of files.entries()) {
    const bytes = await readFile(join(parentPath, name))
    bytes[bytes.byteLength >> 1] ^= 1
    await writeFile(join(parentPath, name), i === 0 ? bytes.subarray(0, 10) : bytes)
  }

  await reader.process(async repo => check(repo, blocks))
})

it('keeps 8 pieces in a file where it has read them together', async ({ directory, reader }) => {
  // 6 MB: 46 pieces
  const blocks = await reader.add(120)
  await reader.process(async repo => {
    repo.together?.expect(100_000_000)
    await check(repo, blocks)
  })
  const kept = join(directory, 'repo', 'store-cache', 'blocks')
  const files = (await readdir(kept, { recursive: true, withFileTypes: true })).filter(file => file.isFile())

  expect(files.length).toBeLessThan(46 / 8 + 8)
  reader.requests.length = 0
  await reader.process(async repo => check(repo, blocks))
  expect(reader.requests).toEqual(['list packs/'])
})

it('compares blocks with their hashes itself, of any kind, and gives each in memory of its own', async ({ reader }) => {
  const bytes = new Uint8Array(randomBytes(300_000))
  const cids = await Promise.all([sha256, sha512].map(async hash => CID.createV1(raw.code, await hash.digest(bytes))))
  const packs = new PackStorage({ objects: reader.objects })

  for (const cid of cids) {
    await packs.put(cid, bytes)
  }

  await packs.sync()
  const read = async (): Promise<unknown[]> => {
    const results: unknown[] = []
    await reader.process(async ({ blockstore }) => {
      expect(blockstore).toMatchObject({ checksBlocks: true, freshBlocks: true })

      for (const cid of cids) {
        results.push(await collectBytes(blockstore.get(cid)).catch((err: Error) => err.name))
      }
    })

    return results
  }

  for (const block of await read() as Uint8Array[]) {
    expect(Buffer.compare(block, bytes)).toBe(0)
    expect(block.buffer.byteLength).toBe(block.byteLength)
  }

  await rm(join(reader.directory, 'repo', 'store-cache'), { recursive: true })

  for (const [key, object] of reader.objects.objects) {
    if (key.startsWith('packs/')) {
      // in the middle of each block
      for (const at of [150_000, 450_000]) {
        object.bytes[at] ^= 1
      }
    }
  }

  expect(await read()).toEqual(['StoreObjectError', 'CorruptBlockError'])
})
