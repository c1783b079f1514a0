import { chmod, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it as base } from 'vitest'
import { makeStore, removeStore } from './temporary.ts'
import type { RepoBlockstore } from '../src/repo-blockstore.ts'

interface Block {
  cid: CID
  bytes: Uint8Array
}

const it = base.extend<{ store: RepoBlockstore, block: Block }>({
  // oxlint-disable-next-line no-empty-pattern
  store: async ({}, use) => {
    const store = await makeStore()
    await use(store)
    await removeStore(store)
  },
  // oxlint-disable-next-line no-empty-pattern
  block: async ({}, use) => {
    const bytes = new TextEncoder().encode('a block '.repeat(1000))
    await use({ cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes })
  }
})

describe('RepoBlockstore', () => {
  it('keeps its files where FsBlockstore has them', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const stock = new FsBlockstore(store.path)

    expect(await collect(stock.get(block.cid))).toEqual([Buffer.from(block.bytes)])
  })

  it('reads what FsBlockstore wrote', async ({ store, block }) => {
    await new FsBlockstore(store.path).put(block.cid, block.bytes)

    expect(Buffer.concat(await collect(store.get(block.cid))).equals(block.bytes)).toBe(true)
  })

  it('takes a block as bytes, as an iterable and as an async iterable', async ({ store, block }) => {
    const halves = [block.bytes.subarray(0, 100), block.bytes.subarray(100)]

    for (const value of [block.bytes, halves, toAsync(halves)]) {
      await store.put(block.cid, value)
      expect(Buffer.concat(await collect(store.get(block.cid))).equals(block.bytes)).toBe(true)
      await store.delete(block.cid)
    }
  })

  it('takes the same block many times at once', async ({ store, block }) => {
    await Promise.all(Array.from({ length: 50 }, async () => store.put(block.cid, block.bytes)))

    expect(await collect(store.get(block.cid))).toHaveLength(1)
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('writes a block again that was cut short', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    await truncate(await blockFile(store), 10)

    await store.put(block.cid, block.bytes)

    expect(Buffer.concat(await collect(store.get(block.cid))).equals(block.bytes)).toBe(true)
  })

  it('refuses a block that is not there, by name and with the cause', async ({ store, block }) => {
    await expect(collect(store.get(block.cid))).rejects.toMatchObject({ name: 'NotFoundError', cause: { code: 'ENOENT' } })
  })

  it('does not call a block missing that it cannot read', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const file = await blockFile(store)
    await rm(file)
    await mkdir(file)

    await expect(collect(store.get(block.cid))).rejects.toMatchObject({ name: 'GetFailedError', cause: { code: 'EISDIR' } })
  })

  it('tells why a block could not be written, and leaves nothing behind', async ({ store, block }) => {
    await rm(store.path, { recursive: true })
    await writeFile(store.path, 'a file where the directory was')

    await expect(store.put(block.cid, block.bytes)).rejects.toMatchObject({ name: 'PutFailedError', cause: { code: 'ENOTDIR' } })
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('tells that its directory for temporary files is gone', async ({ store, block }) => {
    await rm(temporary(store), { recursive: true })

    await expect(store.put(block.cid, block.bytes)).rejects.toMatchObject({ name: 'PutFailedError', cause: { code: 'ENOENT' } })
  })

  it('leaves nothing behind of a block whose source fails', async ({ store, block }) => {
    const failing = async function * (): AsyncGenerator<Uint8Array> {
      yield block.bytes
      throw new Error('no more')
    }

    await expect(store.put(block.cid, failing())).rejects.toMatchObject({ name: 'PutFailedError', cause: { message: 'no more' } })
    expect(await store.has(block.cid)).toBe(false)
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('refuses to put or get once aborted, by the name of an abort', async ({ store, block }) => {
    const signal = AbortSignal.abort()

    await expect(store.put(block.cid, block.bytes, { signal })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(collect(store.get(block.cid, { signal }))).rejects.toMatchObject({ name: 'AbortError' })
    expect(await store.has(block.cid)).toBe(false)
  })

  it('lets a put be aborted while its source stalls', async ({ store, block }) => {
    const controller = new AbortController()
    const stalling = async function * (): AsyncGenerator<Uint8Array> {
      yield block.bytes
      controller.abort()
      yield block.bytes
    }

    await expect(store.put(block.cid, stalling(), { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(await readdir(temporary(store))).toEqual([])
  })

  it('makes files that others may read, as far as the umask lets them', async ({ store, block }) => {
    await store.put(block.cid, block.bytes)
    const file = await blockFile(store)
    const plain = join(dirname(store.path), 'plain')
    await writeFile(plain, '')

    expect((await stat(file)).mode).toBe((await stat(plain)).mode)
    await chmod(file, 0o444)
    await store.put(block.cid, block.bytes)
    expect((await readFile(file)).equals(block.bytes)).toBe(true)
  })
})

function temporary (store: RepoBlockstore): string {
  return join(dirname(store.path), 'tmp')
}

async function blockFile (store: RepoBlockstore): Promise<string> {
  const names = await readdir(store.path, { recursive: true })

  return join(store.path, names.find(name => name.endsWith('.data')) ?? '')
}

async function collect (source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []

  for await (const chunk of source) {
    chunks.push(chunk)
  }

  return chunks
}

async function * toAsync<T> (values: Iterable<T>): AsyncGenerator<T> {
  yield * values
}
