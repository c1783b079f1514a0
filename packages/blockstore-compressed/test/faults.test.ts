import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { CompressedBlockstore } from '../src/index.ts'
import { cidOf, failure, only, readBlock, stream } from './fixtures.ts'
import type { Blockstore, InputPair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

const BYTES = text(200_000)
const never = new Promise<never>(() => {})

/** A memory store with some methods replaced. */
function innerWith (methods: Partial<Record<keyof Blockstore, unknown>>): MemoryBlockstore {
  return Object.assign(new MemoryBlockstore(), methods)
}

async function makePairs (count: number): Promise<Array<{ cid: CID, bytes: Uint8Array }>> {
  return Promise.all(Array.from({ length: count }, async (_, i) => {
    const bytes = text(5000, i + 1)

    return { cid: await cidOf(bytes), bytes }
  }))
}

/** The error of a full disk. */
function diskFull (): Error {
  return Object.assign(new Error('write failed', { cause: new Error('below') }), { code: 'ENOSPC' })
}

describe('an error of the inner store', () => {
  it('passes through every method unchanged, with its cause', async () => {
    const err = diskFull()
    const fail = (): never => { throw err }
    const failLater = async function * (): AsyncGenerator<never> { yield fail() }
    const store = new CompressedBlockstore(
      innerWith({
        put: async () => fail(),
        has: fail,
        delete: async () => fail(),
        get: failLater,
        putMany: failLater,
        getMany: failLater,
        getAll: failLater,
        deleteMany: failLater
      })
    )
    const cid = await cidOf(BYTES)

    for (const call of [
      async () => store.put(cid, BYTES),
      async () => store.has(cid),
      async () => store.delete(cid),
      async () => Array.fromAsync(store.get(cid)),
      async () => Array.fromAsync(store.putMany([{ cid, bytes: BYTES }])),
      async () => Array.fromAsync(store.getMany([cid])),
      async () => Array.fromAsync(store.getAll()),
      async () => Array.fromAsync(store.deleteMany([cid]))
    ]) {
      expect(await failure(call)).toBe(err)
    }
  })

  it('ends a batch after the CIDs of the blocks stored before it, which stay', async () => {
    const pairs = await makePairs(20)
    const err = diskFull()
    const inner = new MemoryBlockstore()
    const put = inner.put.bind(inner)
    let count = 0
    inner.put = async (...args) => {
      if (++count > 7) {
        throw err
      }

      return put(...args)
    }
    const store = new CompressedBlockstore(inner)
    const acknowledged: CID[] = []

    expect(await failure(async () => {
      for await (const cid of store.putMany(pairs)) {
        acknowledged.push(cid)
      }
    })).toBe(err)
    expect(acknowledged).toHaveLength(7)

    for (const [i, cid] of acknowledged.entries()) {
      expect(await readBlock(store, cid)).toEqual(pairs[i].bytes)
    }
  })

  it('passes through if it occurs between two chunks of a block', async () => {
    const err = diskFull()
    const store = new CompressedBlockstore(innerWith({ async * get () {
      yield BYTES.subarray(0, 1000)
      throw err
    } }))

    expect(await failure(async () => readBlock(store, await cidOf(BYTES)))).toBe(err)
  })

  it('keeps the name NotFoundError for a missing block', async () => {
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await expect(readBlock(store, await cidOf(BYTES))).rejects.toMatchObject({ name: 'NotFoundError' })
    const [{ bytes }] = await Array.fromAsync(store.getMany([await cidOf(BYTES)]))
    await expect(only(bytes)).rejects.toMatchObject({ name: 'NotFoundError' })
  })
})

describe('an error during a put', () => {
  it('passes through from the source, and nothing is stored', async () => {
    const err = new Error('the stream broke')
    const cid = await cidOf(BYTES)
    const store = new CompressedBlockstore(new MemoryBlockstore())
    const broken = async function * (): AsyncGenerator<Uint8Array> {
      yield * stream(BYTES.subarray(0, 100_000), 1000)
      throw err
    }

    expect(await failure(async () => store.put(cid, broken()))).toBe(err)
    expect(await store.has(cid)).toBe(false)
  })

  it('ends a batch after the CIDs of the blocks before it', async () => {
    const pairs: InputPair[] = await makePairs(10)
    const err = new Error('the stream broke')
    pairs[6].bytes = (async function * (): AsyncGenerator<Uint8Array> { yield Promise.reject(err) })()
    const store = new CompressedBlockstore(new MemoryBlockstore())
    const acknowledged: CID[] = []

    expect(await failure(async () => {
      for await (const cid of store.putMany(pairs)) {
        acknowledged.push(cid)
      }
    })).toBe(err)
    expect(acknowledged).toHaveLength(6)
  })

  it('passes through from the codec, and nothing is stored', async () => {
    const err = Object.assign(new Error('the worker died'), { name: 'WorkerCrashedError' })
    const zstd = { ...codecs.zstd(), compress: async () => { throw err } }
    const store = new CompressedBlockstore(new MemoryBlockstore(), { codecs: [zstd] })

    expect(await failure(async () => store.put(await cidOf(BYTES), BYTES))).toBe(err)
    expect(await store.has(await cidOf(BYTES))).toBe(false)
  })
})

describe('a batch', () => {
  it('closes its source when the reader stops', async () => {
    const pairs = await makePairs(10)
    let given = 0
    let closed = false
    const source = (function * () {
      try {
        for (;;) {
          yield pairs[given++ % 10]
        }
      } finally {
        closed = true
      }
    })()
    const store = new CompressedBlockstore(new MemoryBlockstore())

    for await (const _ of store.putMany(source)) {
      break
    }

    expect(closed).toBe(true)
    expect(given).toBeLessThan(12)
  })

  it('reads at most 10 blocks ahead of its reader', async () => {
    const pairs = await makePairs(100)
    let given = 0
    const source = (function * () {
      for (const pair of pairs) {
        given++
        yield pair
      }
    })()
    const stored = new CompressedBlockstore(new MemoryBlockstore()).putMany(source)

    for (let i = 1; i <= 50; i++) {
      await stored.next()
      expect(given).toBeLessThanOrEqual(i + 10)
    }
  })

  it('stores a block before its source yields the next one', async () => {
    const [first, second] = await makePairs(2)
    const acknowledged = Promise.withResolvers<void>()
    // yields the second block only after the first is stored
    const source = async function * (): AsyncGenerator<InputPair> {
      yield first
      await acknowledged.promise
      yield second
    }
    const cids: string[] = []

    for await (const cid of new CompressedBlockstore(new MemoryBlockstore()).putMany(source())) {
      cids.push(cid.toString())
      acknowledged.resolve()
    }

    expect(cids).toEqual([first, second].map(({ cid }) => cid.toString()))
  })

  it('stores as many blocks at a time as the inner store does', async () => {
    const pairs = await makePairs(30)
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-compressed-'))
    const inner = new FsBlockstore(directory, { putManyConcurrency: 5 })
    const put = inner.put.bind(inner)
    const full = Promise.withResolvers<void>()
    let running = 0
    let most = 0
    inner.put = async (...args) => {
      most = Math.max(most, ++running)

      if (running === 5) {
        full.resolve()
      }

      try {
        // none ends before as many run as may
        await full.promise

        return await put(...args)
      } finally {
        running--
      }
    }

    const cids = await Array.fromAsync(new CompressedBlockstore(inner).putMany(pairs))

    expect(cids.map(String)).toEqual(pairs.map(({ cid }) => cid.toString()))
    expect(most).toBe(5)
    await rm(directory, { recursive: true })
  })
})

describe('an abort', () => {
  const reason = new DOMException('enough', 'AbortError')
  let directory: string
  let cid: CID

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ipfsz-compressed-'))
    cid = await cidOf(BYTES)
    await new CompressedBlockstore(new FsBlockstore(directory)).put(cid, BYTES)
  })

  afterAll(async () => rm(directory, { recursive: true }))

  const CALLS: Readonly<Record<string, (store: CompressedBlockstore, signal: AbortSignal) => unknown>> = {
    put: async (store, signal) => store.put(cid, BYTES, { signal }),
    putMany: async (store, signal) => Array.fromAsync(store.putMany([{ cid, bytes: BYTES }], { signal })),
    get: async (store, signal) => Array.fromAsync(store.get(cid, { signal })),
    getMany: async (store, signal) =>
      Array.fromAsync(store.getMany([cid], { signal }), async ({ bytes }) => only(bytes)),
    getAll: async (store, signal) => Array.fromAsync(store.getAll({ signal }), async ({ bytes }) => only(bytes)),
    has: async (store, signal) => store.has(cid, { signal }),
    delete: async (store, signal) => store.delete(cid, { signal }),
    deleteMany: async (store, signal) => Array.fromAsync(store.deleteMany([cid], { signal }))
  }

  it.each(
    Object.entries(CALLS)
  )('before %s rejects it with the reason, even if the inner store throws another error', async (_, call) => {
    const store = new CompressedBlockstore(new FsBlockstore(directory))

    expect(await failure(async () => call(store, AbortSignal.abort(reason)))).toBe(reason)
    expect(await readBlock(store, cid)).toEqual(BYTES)
  })

  it.each(Object.entries(CALLS))('during %s rejects it with the reason if the inner store stalls', async (_, call) => {
    const controller = new AbortController()
    const stall = async (): Promise<never> => {
      controller.abort(reason)

      return never
    }
    const stallLater = async function * (): AsyncGenerator<never> { yield stall() }
    const store = new CompressedBlockstore(
      innerWith({
        put: stall,
        has: stall,
        delete: stall,
        get: stallLater,
        putMany: stallLater,
        getMany: stallLater,
        getAll: stallLater,
        deleteMany: stallLater
      })
    )

    expect(await failure(async () => call(store, controller.signal))).toBe(reason)
  })

  it.each(
    Object.entries(CALLS)
  )('during %s rejects it with the reason, even if the inner store throws another error', async (_, call) => {
    const controller = new AbortController()
    const wrap = async (): Promise<never> => {
      controller.abort(reason)
      throw Object.assign(new Error('AbortError: enough'), { name: 'NotFoundError' })
    }
    const wrapLater = async function * (): AsyncGenerator<never> { yield wrap() }
    const store = new CompressedBlockstore(
      innerWith({
        put: wrap,
        has: wrap,
        delete: wrap,
        get: wrapLater,
        putMany: wrapLater,
        getMany: wrapLater,
        getAll: wrapLater,
        deleteMany: wrapLater
      })
    )

    expect(await failure(async () => call(store, controller.signal))).toBe(reason)
  })

  it('while a source stalls rejects the put with the reason, and closes the source', async () => {
    const controller = new AbortController()
    let closed = false
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        async next () {
          controller.abort(reason)

          return never
        },
        async return () {
          closed = true

          return { done: true, value: undefined }
        }
      })
    }
    const store = new CompressedBlockstore(new MemoryBlockstore())

    expect(await failure(async () => store.put(cid, source, { signal: controller.signal }))).toBe(reason)
    expect(closed).toBe(true)
    expect(await store.has(cid)).toBe(false)
  })

  it.each(['compress', 'decompress'] as const)('while a codec has to %s rejects with the reason', async verb => {
    const controller = new AbortController()
    const codec = codecs.zstd()
    const inner = new MemoryBlockstore()
    const stall = async (_: Uint8Array, { signal }: { signal?: AbortSignal | null } = {}): Promise<Uint8Array> => {
      controller.abort(reason)
      signal?.throwIfAborted()

      return never
    }
    await new CompressedBlockstore(inner).put(cid, BYTES)
    const store = new CompressedBlockstore(inner, { codecs: [{ ...codec, [verb]: stall }] })

    expect(await failure(async () => verb === 'compress'
      ? store.put(cid, BYTES, { signal: controller.signal })
      : readBlock({ get: cid => store.get(cid, { signal: controller.signal }) }, cid))).toBe(reason)
  })

  it('after a put leaves the stored block', async () => {
    const controller = new AbortController()
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await store.put(cid, BYTES, { signal: controller.signal })
    controller.abort(reason)

    expect(await readBlock(store, cid)).toEqual(BYTES)
  })

  it('in the middle of a batch ends it with the reason, and leaves the blocks yielded before', async () => {
    const pairs = await makePairs(20)
    const controller = new AbortController()
    const store = new CompressedBlockstore(new MemoryBlockstore())
    const acknowledged: CID[] = []

    expect(await failure(async () => {
      for await (const cid of store.putMany(pairs, { signal: controller.signal })) {
        acknowledged.push(cid)

        if (acknowledged.length === 5) {
          controller.abort(reason)
        }
      }
    })).toBe(reason)
    expect(acknowledged).toHaveLength(5)

    for (const [i, cid] of acknowledged.entries()) {
      expect(await readBlock(store, cid)).toEqual(pairs[i].bytes)
    }
  })
})
