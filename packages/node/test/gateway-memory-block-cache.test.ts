import { CorruptBlockError, ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { NotFoundError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { noise } from '../../../test/support/data.ts'
import { MemoryBlockCache } from '../src/gateway/memory-block-cache.ts'
import { KeptBlocks } from '../src/gateway/root-blocks.ts'

const KIB = 1024

/** A store that counts its reads, which end when they are let go. */
class SlowStore extends MemoryBlockstore {
  reads = 0
  aborted = 0
  #gate = Promise.withResolvers<void>()

  /** Let the reads that wait end, and all later ones. */
  open (): void {
    this.#gate.resolve()
  }

  override async * get (...args: Parameters<MemoryBlockstore['get']>): AsyncGenerator<Uint8Array> {
    const { signal } = args[1] ?? {}
    this.reads++
    signal?.addEventListener('abort', () => {
      this.aborted++
      this.#gate.reject(signal.reason)
    })
    await this.#gate.promise
    yield * super.get(...args)
  }
}

async function cidOf (bytes: Uint8Array): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes))
}

async function put (store: MemoryBlockstore, bytes: Uint8Array): Promise<CID> {
  const cid = await cidOf(bytes)
  await store.put(cid, bytes)

  return cid
}

async function get (store: MemoryBlockCache, cid: CID, signal?: AbortSignal): Promise<Uint8Array> {
  const [bytes] = await Array.fromAsync(store.get(cid, signal == null ? {} : { signal }))

  return bytes
}

describe('MemoryBlockCache', () => {
  it('reads a block once for all who ask for it, then returns it from memory', async () => {
    const store = new SlowStore()
    const cache = new MemoryBlockCache(store)
    const cid = await put(store, noise(KIB))
    const all = Promise.all([get(cache, cid), get(cache, cid), get(cache, cid)])

    store.open()

    for (const bytes of [...await all, await get(cache, cid)]) {
      expect(Buffer.from(bytes).equals(noise(KIB))).toBe(true)
    }

    expect(store.reads).toBe(1)
  })

  it('returns no block that was deleted a while ago', async () => {
    const store = new MemoryBlockstore()
    const [cache, lasting] = [0, Infinity].map(freshTime => new MemoryBlockCache(store, { freshTime }))
    const cid = await put(store, noise(KIB))
    await get(cache, cid)
    await get(lasting, cid)

    await store.delete(cid)

    expect(await cache.has(cid)).toBe(false)
    await expect(get(cache, cid)).rejects.toHaveProperty('name', NotFoundError.name)
    expect(await lasting.has(cid)).toBe(true)
    expect(await get(lasting, cid)).toHaveLength(KIB)
  })

  it('forgets the blocks that were not used for longest', async () => {
    const store = new SlowStore()
    const cache = new MemoryBlockCache(store, { maxBytes: 3 * 2 * KIB, freshTime: 0 })
    const [a, b, c, d] = await Promise.all([1, 2, 3, 4].map(async size => put(store, noise(KIB + size))))
    store.open()

    for (const cid of [a, b, c, a, d]) {
      await get(cache, cid)
    }

    expect(store.reads).toBe(4)
    await get(cache, a)
    expect(store.reads).toBe(4)
    await get(cache, b)
    expect(store.reads).toBe(5)
  })

  it.each([true, false])('compares blocks unless the store does so: %s', async checksBlocks => {
    const store = Object.assign(new MemoryBlockstore(), { checksBlocks })
    const cid = await cidOf(noise(KIB))
    const other = noise(KIB).fill(1)
    await store.put(cid, other)
    const cache = new MemoryBlockCache(store)
    const read = get(cache, cid).catch((err: Error) => err.name)

    expect(await read).toEqual(checksBlocks ? other : CorruptBlockError.name)
    expect(new KeptBlocks(cache, undefined).checksBlocks).toBe(true)
    expect(new KeptBlocks(store, undefined).checksBlocks).toBe(checksBlocks)
  })

  it('refuses a damaged block, and does not keep it', async () => {
    const store = new MemoryBlockstore()
    const cache = new MemoryBlockCache(store)
    const cid = await cidOf(noise(KIB))
    await store.put(cid, new Uint8Array(KIB))

    await expect(get(cache, cid)).rejects.toHaveProperty('name', CorruptBlockError.name)

    await store.put(cid, noise(KIB))
    expect(await get(cache, cid)).toHaveLength(KIB)
  })

  it('goes on reading when one of two leaves, and stops when both did', async () => {
    const store = new SlowStore()
    const cache = new MemoryBlockCache(store)
    const cid = await put(store, noise(KIB))
    const [first, second] = [new AbortController(), new AbortController()]
    const both = Promise.allSettled([get(cache, cid, first.signal), get(cache, cid, second.signal)])
    const [one, other] = [new Error('one'), new Error('other')]

    first.abort(one)
    expect(store.aborted).toBe(0)
    second.abort(other)
    await expect.poll(() => store.aborted).toBe(1)

    expect(await both).toMatchObject([{ reason: one }, { reason: other }])
  })

  it('compares the blocks of a file once, however often it is read', async () => {
    const store = new MemoryBlockstore()
    const bytes = noise(300 * KIB)
    const cid = await ipfsz({ blockstore: store }).addBytes(bytes)
    const files = ipfsz({ blockstore: new MemoryBlockCache(store) })
    const read = async (): Promise<Buffer> => Buffer.concat(await Array.fromAsync(files.cat(cid)))
    const first = await read()

    // what lies on the disk does not matter any more, as long as it is there
    for await (const { cid } of store.getAll()) {
      await store.put(cid, new Uint8Array(1))
    }

    expect(first.equals(bytes)).toBe(true)
    expect((await read()).equals(bytes)).toBe(true)
  })
})
