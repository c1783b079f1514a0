import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { describe, expect, it as base, vi } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { CompressedBlockstore } from '../src/index.ts'
import { cidOf, failure, only, readBlock } from './fixtures.ts'
import type { CID } from 'multiformats/cid'
import type { Verify } from '../src/index.ts'

const BYTES = text(300_000)

function scramble (bytes: Uint8Array): Uint8Array {
  return bytes.map(byte => byte ^ 1)
}

const it = base.extend<{ inner: FsBlockstore }>({
  // oxlint-disable-next-line no-empty-pattern
  inner: async ({}, use) => {
    const inner = new FsBlockstore(await mkdtemp(join(tmpdir(), 'inner-files-')))
    await inner.open()
    await use(inner)
    vi.restoreAllMocks()
    await rm(inner.path, { recursive: true })
  }
})

/** Has the name of that of blockstore-fs, and other bytes in its files. */
class Scrambled extends FsBlockstore {
  static override readonly name = 'FsBlockstore'

  override async put (cid: CID, bytes: Uint8Array): Promise<CID> {
    return super.put(cid, scramble(bytes))
  }

  override async * get (...args: Parameters<FsBlockstore['get']>): AsyncGenerator<Uint8Array> {
    yield scramble(Buffer.concat(await Array.fromAsync(super.get(...args))))
  }
}

/** The path of the only block. */
async function fileIn ({ path }: FsBlockstore): Promise<string> {
  const names = await readdir(path, { recursive: true })

  return join(path, names.find(name => name.endsWith('.data')) ?? '')
}

/** How often the store reads a block through FsBlockstore itself, and what it reads. */
async function readCounted (
  inner: FsBlockstore,
  cid: CID,
  verify: Verify
): Promise<{ bytes: Uint8Array, gets: number }> {
  const get = vi.spyOn(FsBlockstore.prototype, 'get')
  const bytes = await readBlock(new CompressedBlockstore(inner, { verify }), cid)

  return { bytes, gets: get.mock.calls.length }
}

describe('a CompressedBlockstore around an FsBlockstore', () => {
  it.for([
    ['compressible', text(300_000)],
    ['incompressible', noise(100_000)],
    ['small', text(100)]
  ] as const)('reads files itself: %s bytes', async ([, bytes], { inner }) => {
    const cid = await cidOf(bytes)
    await new CompressedBlockstore(inner).put(cid, bytes)

    expect(await readCounted(inner, cid, 'hash')).toEqual({ bytes, gets: 0 })
  })

  it.for(['length', 'none'] as const)('asks it if no hash is compared: verify %s', async (verify, { inner }) => {
    const cid = await cidOf(BYTES)
    await new CompressedBlockstore(inner).put(cid, BYTES)

    expect(await readCounted(inner, cid, verify)).toEqual({ bytes: BYTES, gets: 1 })
  })

  it('returns what a store of another package with the same name returns', async ({ inner: { path } }) => {
    const inner = new Scrambled(path)
    const cid = await cidOf(BYTES)
    const store = new CompressedBlockstore(inner)
    await store.put(cid, BYTES)

    expect(await readBlock(store, cid)).toEqual(BYTES)
  })

  it('refuses a damaged file, and misses one that is gone', async ({ inner }) => {
    const cid = await cidOf(BYTES)
    const store = new CompressedBlockstore(inner)
    await store.put(cid, BYTES)
    const file = await fileIn(inner)
    const stored = await readFile(file)
    stored[stored.byteLength >> 1] ^= 1
    await writeFile(file, stored)

    expect((await failure(async () => readBlock(store, cid))).name).toBe('CorruptBlockError')
    await rm(file)
    expect((await failure(async () => readBlock(store, cid))).name).toBe('NotFoundError')
  })

  it('refuses a block that is larger than allowed', async ({ inner }) => {
    const cid = await cidOf(BYTES)
    await inner.put(cid, BYTES)
    const store = new CompressedBlockstore(inner, { maxBlockSize: BYTES.byteLength - 100 })

    expect((await failure(async () => readBlock(store, cid))).name).toBe('BlockTooLargeError')
  })

  it('throws the reason of an aborted signal', async ({ inner }) => {
    const cid = await cidOf(BYTES)
    const store = new CompressedBlockstore(inner)
    await store.put(cid, BYTES)
    const reason = new Error('enough')

    expect(await failure(async () => only(store.get(cid, { signal: AbortSignal.abort(reason) })))).toBe(reason)
  })
})
