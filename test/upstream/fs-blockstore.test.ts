import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mended } from './installed.ts'
import type { ShardingStrategy } from 'blockstore-fs/sharding'
import type { MultihashHasher } from 'multiformats/hashes/interface'

const OURS = 'packages/blockstore-compressed/src/fs/shared-fs-blockstore.ts'
const OUR_READER = 'packages/utils/src/block-file-reader.ts'
const BYTES = new Uint8Array(10_000).fill(1)

async function openStore (): Promise<FsBlockstore> {
  const directory = await fs.mkdtemp(join(tmpdir(), 'upstream-'))
  const store = new FsBlockstore(directory)

  onTestFinished(async () => { await fs.rm(directory, { recursive: true, force: true }) })
  await store.open()

  return store
}

async function cidOf (hasher: MultihashHasher = sha256): Promise<CID> {
  return CID.createV1(raw.code, await hasher.digest(BYTES))
}

async function fileOf (store: FsBlockstore): Promise<string> {
  const names = await fs.readdir(store.path, { recursive: true })

  return join(store.path, names.find(name => name.endsWith('.data')) ?? '')
}

async function read (store: FsBlockstore, cid: CID): Promise<number> {
  let length = 0

  for await (const bytes of store.get(cid)) {
    length += bytes.byteLength
  }

  return length
}

describe('blockstore-fs with steno', () => {
  it('leaves an empty block if another process is killed while it puts the same block', async () => {
    const store = await openStore()
    const { rename } = fs
    onTestFinished(() => {
      fs.rename = rename
      syncBuiltinESMExports()
    })

    // the other process opens the same temporary file between our write and our rename, and is killed
    fs.rename = async (from, to) => {
      await fs.writeFile(from, '')
      await rename(from, to)
    }
    syncBuiltinESMExports()
    const cid = await cidOf()
    await store.put(cid, BYTES)

    expect(await read(store, cid), mended('blockstore-fs', OURS)).toBe(0)
  })

  it('reports an unreadable block as missing', async () => {
    const store = await openStore()
    const cid = await cidOf()
    await store.put(cid, BYTES)
    const file = await fileOf(store)
    await fs.rm(file)
    await fs.mkdir(file)

    await expect(read(store, cid), mended('blockstore-fs', OURS)).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('reports a failed put without its cause', async () => {
    const store = await openStore()
    const cid = await cidOf()
    await store.put(cid, BYTES)
    const directory = dirname(await fileOf(store))
    await fs.rm(directory, { recursive: true })
    await fs.writeFile(directory, '')

    await expect(store.put(cid, BYTES), mended('blockstore-fs', OURS))
      .rejects.toSatisfy((err: Error) => err.name === 'PutFailedError' && err.cause == null)
  })

  it('fails to list blocks whose hash is not sha2-256', async () => {
    const store = await openStore()
    await store.put(await cidOf(sha512), BYTES)

    await expect(store.getAll().next(), mended('blockstore-fs', OURS)).rejects.toThrow()
  })

  it('reports an aborted call as a block that is not there', async () => {
    const store = await openStore()
    const cid = await cidOf()
    await store.put(cid, BYTES)
    const options = { signal: AbortSignal.abort() }

    await expect(store.get(cid, options).next(), mended('blockstore-fs', OURS))
      .rejects.toMatchObject({ name: 'NotFoundError' })
    expect(await store.has(cid, options), mended('blockstore-fs', OURS)).toBe(false)
  })

  it('tells where the file of a block is, and reads it in pieces', async () => {
    const store = await openStore()
    const bytes = new Uint8Array(100_000)
    const cid = CID.createV1(raw.code, await sha256.digest(bytes))
    await store.put(cid, bytes)
    const { dir, file } = (store as unknown as { shardingStrategy: ShardingStrategy }).shardingStrategy.encode(cid)

    expect(store.constructor.name, mended('blockstore-fs', OUR_READER)).toBe('FsBlockstore')
    expect(join(store.path, dir, file), mended('blockstore-fs', OUR_READER)).toBe(await fileOf(store))
    expect(await Array.fromAsync(store.get(cid)), mended('blockstore-fs', OUR_READER)).toHaveLength(2)
  })
})
