/** @module-tag long */
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeBlocks } from '@ipfsz/blockstore-packed/encode'
import { NodeDisk } from '@ipfsz/blockstore-packed/whole'
import { collectBytes } from '@ipfsz/utils/bytes'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it as base, vi } from 'vitest'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import { systemClock } from '../src/clock.ts'
import { collect } from '../src/collect/collect.ts'
import { parsePackKey } from '../src/packs/pack-keys.ts'
import { PackStorage } from '../src/packs/pack-storage.ts'
import { keyOf, PIECE } from '../src/packs/index.ts'
import { StoreSession } from '../src/sessions/store-session.ts'
import type { Clock } from '../src/clock.ts'
import type { CollectionResult } from '../src/collect/collection.ts'
import type { StoreOperation } from '../../../test/support/memory-objects.ts'
import type { Blockstore } from 'interface-blockstore'

interface Block {
  cid: CID
  bytes: Uint8Array
}

const it = base.extend<{ directory: string }>({
  // oxlint-disable-next-line no-empty-pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-packs-'))
    await use(directory)
    await rm(directory, { recursive: true })
  }
})

const LEASE_TIMEOUT = 100

let now = 0
let lastLook = 0
/** A lease does not end while nobody gets a core: between two looks, at most some milliseconds pass. */
const clock: Clock = {
  now () {
    const real = performance.now()
    now += Math.min(real - lastLook, LEASE_TIMEOUT / 10)
    lastLook = real

    return now
  },
  after: systemClock.after
}

/** A store, and how often it was asked. */
class Store {
  readonly operations: StoreOperation[] = []
  /** Called before each operation: may reject. */
  fault: (operation: StoreOperation) => void | Promise<void> = () => {}
  readonly objects = new MemoryObjects({
    before: async operation => {
      this.operations.push(operation)
      await this.fault(operation)
    }
  })

  storage ({ directory, ...init }: { directory?: string, packSize?: number } = {}): PackStorage {
    return new PackStorage({
      objects: this.objects, disk: directory == null ? undefined : new NodeDisk(directory), ...init
    })
  }

  async session (): Promise<StoreSession> {
    return StoreSession.open(this.objects, { leaseTimeout: LEASE_TIMEOUT, command: 'add', clock })
  }

  /** Add and pin blocks as a node does. */
  async add (blocks: readonly Block[], storage = this.storage()): Promise<void> {
    const session = await this.session()

    try {
      await putAll(storage.forSession(session), blocks)
      await storage.sync()
      await session.confirm()
      await this.objects.put(`records/${String(blocks[0].cid)}`, new Uint8Array())
      await session.confirm()
    } finally {
      await session.end()
    }
  }

  async collect (pinned: readonly Block[], storage = this.storage(), maxUnused?: number): Promise<CollectionResult> {
    const reached = new Set<string>()

    return collect({
      store: this.objects,
      storage,
      leaseTimeout: LEASE_TIMEOUT,
      clock,
      ...maxUnused == null ? {} : { maxUnused },
      readPins: async function * () {
        yield { id: 'all' }
      },
      walk: async function * () {
        for (const { cid } of pinned) {
          reached.add(textOf(keyOf(cid.multihash).bytes))
          yield cid
        }
      },
      reached: { has: key => reached.has(textOf(key)) }
    }, { signal: new AbortController().signal })
  }

  get packs (): string[] {
    return this.objects.keys('packs/')
  }

  count (kind: StoreOperation['kind']): number {
    return this.operations.filter(operation => operation.kind === kind).length
  }
}

/** Blocks of text: they are compressed together. */
async function texts (count: number, name = 'text', size = 400): Promise<Block[]> {
  return Promise.all(Array.from({ length: count }, async (_, i) => {
    const bytes = new TextEncoder().encode(`${name} ${i} ${hash('sha256', `${name} ${i}`)} `.repeat(size / 80))

    return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
  }))
}

async function noise (size: number): Promise<Block> {
  const bytes = new Uint8Array(randomBytes(size))

  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}

async function putAll (blockstore: Blockstore, blocks: readonly Block[]): Promise<void> {
  for (const { cid, bytes } of blocks) {
    if (!await blockstore.has(cid)) {
      await blockstore.put(cid, bytes)
    }
  }
}

async function putAllPlain (storage: PackStorage, blocks: readonly Block[]): Promise<void> {
  for (const { cid, bytes } of blocks) {
    await storage.put(cid, bytes)
  }
}

async function checkAll (blockstore: Blockstore, blocks: readonly Block[]): Promise<void> {
  for (const { cid, bytes } of blocks) {
    expect(Buffer.compare(await collectBytes(blockstore.get(cid)), bytes)).toBe(0)
  }
}

async function errorOf (work: Promise<unknown>): Promise<unknown> {
  return work.then(() => undefined, (err: unknown) => err)
}

function textOf (bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

describe('packs of a store', () => {
  it('are one object for thousands of blocks, which another node reads with few requests', async () => {
    const store = new Store()
    const blocks = await texts(3000)
    await store.add(blocks)

    expect(store.packs).toHaveLength(1)
    expect(store.count('put')).toBeLessThan(12)
    store.operations.length = 0
    await checkAll(store.storage(), blocks)
    expect(store.operations.length).toBeLessThan(12)
  })

  it.each(['as they were added', 'last directory first'])('are read about once, %s', async order => {
    const store = new Store()
    // what shrinks lies before what does not
    const directories = await Promise.all(Array.from({ length: 60 }, async (_, i) => [
      ...await texts(10, `directory ${i}`), await noise(70_000), await noise(50_000)
    ]))
    await store.add(directories.flat())
    const [size] = store.packs.map(key => bytesAt(store, key).byteLength)
    const get = store.objects.get.bind(store.objects)
    let read = 0
    store.objects.get = async (...args) => {
      const bytes = await get(...args)
      read += bytes.byteLength

      return bytes
    }
    store.operations.length = 0
    const storage = store.storage()

    for (const blocks of order === 'as they were added' ? directories : directories.toReversed()) {
      await checkAll(storage, blocks)
    }

    expect(read).toBeLessThan(1.2 * size)
    expect(store.operations.length).toBeLessThan(20)
  })

  it('are read with one request for blocks that are wanted together and lie near each other', async () => {
    const store = new Store()
    const blocks = await Promise.all(Array.from({ length: 100 }, async () => noise(100_000)))
    await store.add(blocks)
    const { reading, catalog } = store.storage()
    await catalog.refresh()
    store.operations.length = 0
    const wanted = [...blocks.slice(10, 20), ...blocks.slice(60, 70)].toReversed()
    const missing = await noise(10)
    const cids = [...wanted, missing].map(({ cid }) => cid)
    const read = await reading.getTogether(cids, { maxBytes: 10_000_000 })

    expect(read.map(bytes => bytes && textOf(bytes))).toEqual([...wanted.map(({ bytes }) => textOf(bytes)), undefined])
    expect(store.operations.length).toBeLessThan(4)
    expect((await reading.getTogether(cids, { maxBytes: 250_000 })).filter(bytes => bytes != null)).toHaveLength(2)
  })

  it('are read without garbage: the memory of what a request read is freed', async () => {
    const store = new Store()
    const blocks = await Promise.all(Array.from({ length: 10 }, async () => noise(300_000)))
    await store.add(blocks)
    const { reading, catalog } = store.storage()
    await catalog.refresh()
    const get = vi.spyOn(store.objects, 'get')
    reading.expect(10_000_000)
    const read = await Promise.all(blocks.map(async ({ cid }) => reading.get(cid)))
    const requested = await Promise.all(get.mock.results.map(async ({ value }) => value as Promise<Uint8Array>))

    expect(requested.length).toBeGreaterThan(0)
    expect(requested.map(({ byteLength }) => byteLength)).toEqual(requested.map(() => 0))
    expect(read.map(textOf)).toEqual(blocks.map(({ bytes }) => textOf(bytes)))
    expect(read.map(({ buffer }) => buffer.byteLength)).toEqual(read.map(() => 300_000))
  })

  it('are read with large requests from the beginning if many bytes are expected', async () => {
    const store = new Store()
    const blocks = await Promise.all(Array.from({ length: 60 }, async () => noise(100_000)))
    await store.add(blocks)
    const get = vi.spyOn(store.objects, 'get')
    const lengthOf = async (expected: number): Promise<number | undefined> => {
      const { reading, catalog } = store.storage()
      await catalog.refresh()
      reading.expect(expected)
      await reading.get(blocks[0].cid)

      return get.mock.lastCall?.[1]?.length
    }

    expect(await lengthOf(0)).toBe(128 * 1024)
    expect(await lengthOf(6_000_000)).toBeGreaterThan(5_000_000)
    expect(await lengthOf(1e15)).toBe(20 * 1024 * 1024)
  })

  it('are read once although more is requested at a time than memory keeps, and some requests wait', async () => {
    const store = new Store()
    const storage = store.storage({ packSize: 1024 * 1024 })
    const blocks = await Promise.all(Array.from({ length: 60 }, async () => noise(400_000)))
    await store.add(blocks, storage)
    const { reading, catalog } = store.storage()
    await catalog.refresh()
    const get = store.objects.get.bind(store.objects)
    const packs: string[] = []
    let [running, most] = [0, 0]
    store.objects.get = async (...args) => {
      packs.push(args[0])
      most = Math.max(most, running += args[1]?.length ?? 0)

      return get(...args).finally(() => { running -= args[1]?.length ?? 0 })
    }
    reading.expect(1e15)
    await Promise.all([...blocks, ...blocks.toReversed()].map(async ({ cid, bytes }) => {
      expect(Buffer.compare(await reading.get(cid), bytes)).toBe(0)
    }))

    expect(packs.toSorted()).toEqual(store.packs)
    expect(most).toBeLessThanOrEqual(64 * 1024 * 1024)
  })

  it('hold a block that is larger than what is kept in memory', async () => {
    const store = new Store()
    const block = await noise(40 * 1024 * 1024)
    await store.add([block])
    await checkAll(store.storage(), [block])
  })

  it('hold blocks of every size and hash', async () => {
    const store = new Store()
    const small = new Uint8Array([1])
    const blocks = [
      await noise(0), await noise(1), await noise(70_000), await noise(300_000), ...await texts(1, 'large', 500_000),
      { cid: CID.createV1(raw.code, await sha512.digest(small)), bytes: small },
      { cid: CID.createV1(raw.code, identity.digest(small)), bytes: small }
    ]
    await store.add(blocks)
    const storage = store.storage()
    await checkAll(storage, blocks)
    const listed = (await Array.fromAsync(storage.blocks())).flat().map(({ multihash }) => textOf(multihash.bytes))
    expect(listed.toSorted()).toEqual(blocks.map(({ cid }) => textOf(cid.multihash.bytes)).toSorted())
  })

  it('tell the CID of a block whose hash ends like the section of another', async () => {
    const store = new Store()
    const { bytes } = await noise(200)
    // after the length of a section: 36 and 200
    const another = Buffer.concat([new Uint8Array([0x80 | 236 % 128, 1]), (await noise(1)).cid.bytes])
    const hash = Digest.create(0x300000, Buffer.concat([randomBytes(40), another]))
    await store.add([{ cid: CID.createV1(raw.code, hash), bytes }])
    const listed = (await Array.fromAsync(store.storage().blocks())).flat().map(({ multihash }) => multihash.bytes)

    expect(listed).toEqual([hash.bytes])
  })

  it('are of bounded size', async () => {
    const store = new Store()
    const blocks = await Promise.all(Array.from({ length: 30 }, async () => noise(500_000)))
    await store.add(blocks, store.storage({ packSize: 1_000_000 }))

    expect(store.packs.length).toBeGreaterThan(2)
    await checkAll(store.storage(), blocks)
  })

  it('are all relied on by who puts their blocks at the same time, and none is stored twice', async () => {
    const store = new Store()
    const storage = store.storage({ packSize: 1_000_000 })
    const session = await store.session()
    const blockstore = storage.forSession(session)
    const blocks = await Promise.all(Array.from({ length: 30 }, async () => noise(390_000)))
    await Promise.all(blocks.map(async ({ cid, bytes }) => blockstore.put(cid, bytes)))
    await storage.sync()

    expect(new Set(store.packs.map(key => parsePackKey(key)?.session))).toEqual(new Set([session.id]))
    const stored = store.packs.reduce((sum, key) => sum + bytesAt(store, key).byteLength, 0)
    expect(stored).toBeLessThan(30 * 390_000 * 1.01)
    await checkAll(store.storage(), blocks)
    await session.end()
  })

  it('take blocks that threads have compressed, and rely on those that are there', async () => {
    const store = new Store()
    const blocks = [...await texts(100), await noise(100_000)]
    const others = await texts(10, 'other')
    await store.add(others)
    const storage = store.storage()
    const session = await store.session()
    const packs = storage.forSession(session)
    const cids = [...blocks, ...others].map(({ cid }) => cid)
    expect(await packs.hasMany(cids)).toEqual([...blocks.map(() => false), ...others.map(() => true)])
    const encoded = encodeBlocks(blocks, { level: packs.level })
    await packs.putEncoded(encoded)
    // who puts it uses the memory again
    encoded.data.fill(0)
    encoded.table.fill(0)
    expect(await packs.hasMany(cids)).toEqual(cids.map(() => true))
    await checkAll(packs, blocks)
    await storage.sync()

    expect(store.packs.map(key => parsePackKey(key)?.session)).toContain(session.id)
    await checkAll(store.storage(), [...blocks, ...others])
    await session.end()
  })

  it('are stored while threads compress more, when they are full', async () => {
    const store = new Store()
    const storage = store.storage({ packSize: 1_000_000 })
    const session = await store.session()
    const packs = storage.forSession(session)
    const parts = await Promise.all(Array.from({ length: 20 }, async () => [await noise(300_000)]))
    await Promise.all(parts.map(async blocks => packs.putEncoded(encodeBlocks(blocks))))
    expect(store.packs.length).toBeGreaterThan(3)
    await storage.sync()
    await checkAll(store.storage(), parts.flat())
    await session.end()
  })

  it('store what two nodes add once, one after the othe', async () => {
    const store = new Store()
    const blocks = await texts(100)
    await store.add(blocks)
    await store.add(blocks)

    expect(store.packs).toHaveLength(1)
  })

  it('store what two nodes add once if the other one has stored it before the pack is sent', async () => {
    const store = new Store()
    const blocks = await texts(100)
    const [a, b] = [store.storage(), store.storage()]
    const [one, other] = [await store.session(), await store.session()]
    await putAll(a.forSession(one), blocks)
    await putAll(b.forSession(other), blocks)
    await a.sync()
    await b.sync()

    expect(store.packs).toHaveLength(1)
    // both rely on it
    await Promise.all([one.end(), other.end()])
  })

  it('are found before they are stored, in the same process', async () => {
    const store = new Store()
    const storage = store.storage()
    const blocks = [...await texts(2000, 'pending', 4000), await noise(100_000)]
    await putAll(storage, blocks)
    await checkAll(storage, blocks)
    expect(store.packs).toEqual([])
    await storage.settled()
    expect(store.packs).toHaveLength(1)
  })

  it('are sent again under another name if the answer is lost', async () => {
    const store = new Store()
    const blocks = await texts(10)
    let lost = 0
    store.fault = ({ kind, key }) => {
      if (kind === 'put' && key.startsWith('packs/') && lost++ === 0) {
        // it has arrived all the same
        store.objects.objects.set(key, { bytes: new Uint8Array(3), modified: new Date(0) })
        throw Object.assign(new Error('no answer'), { name: 'StoreAwayError' })
      }
    }
    await store.add(blocks)
    expect(store.packs).toHaveLength(2)
    await checkAll(store.storage(), blocks)
  })

  it('are known to the next process of a node without a request for each', async ({ directory }) => {
    const store = new Store()
    const blocks: Block[] = []

    for (let i = 0; i < 20; i++) {
      const added = await texts(5, `add ${i}`)
      blocks.push(...added)
      await store.add(added, store.storage({ directory }))
    }

    store.operations.length = 0
    const storage = store.storage({ directory })
    expect(await storage.has(blocks[0].cid)).toBe(true)
    expect(store.operations.map(({ kind }) => kind)).toEqual(['list'])
    await checkAll(storage, blocks)
    expect((await readdir(join(directory, 'index'))).length).toBeLessThan(10)
  })

  it('are read from the store again if what this node knows of them is damaged', async ({ directory }) => {
    const store = new Store()
    const blocks = await texts(50)
    await store.add(blocks, store.storage({ directory }))

    for (const name of await readdir(join(directory, 'index'))) {
      await writeFile(join(directory, 'index', name), randomBytes(5000))
    }

    await checkAll(store.storage({ directory }), blocks)
  })

  it('are refused if the list of them does not end', async () => {
    const store = new Store()
    let pages = 0
    store.objects.list = async function * () {
      for (let i = 0; pages++ < 1000; i += 1000) {
        yield Array.from({ length: 1000 }, (_, j) => ({ key: `packs/${i + j}`, size: 0, modified: new Date(0) }))
      }
    }

    await expect(store.storage().has((await noise(10)).cid)).rejects.toMatchObject({ name: 'StoreObjectError' })
    expect(pages).toBe(501)
  })

  it('are collected if a page of what this node knows of them is damaged', async ({ directory }) => {
    const store = new Store()
    const [kept, garbage] = [await texts(50, 'kept'), await texts(50, 'garbage')]
    await store.add(kept, store.storage({ directory }))
    await store.add(garbage, store.storage({ directory }))

    for (const name of await readdir(join(directory, 'index'))) {
      const file = join(directory, 'index', name)
      await writeFile(file, flip(await readFile(file), 100))
    }

    expect(await store.collect(kept, store.storage({ directory }))).toMatchObject({ removed: 50 })
    await checkAll(store.storage({ directory }), kept)
  })

  it('are found although a collection moves one from behind the page of a list to before it', async () => {
    const { objects } = new Store()
    const blocks = await texts(1)
    const writer = new PackStorage({ objects })
    await putAllPlain(writer, blocks)
    await writer.sync()
    const moved = [...objects.objects]
    objects.objects.clear()
    const list = objects.list.bind(objects)
    objects.list = async function * () {
      objects.list = list
      yield []
      moved.forEach(([key, object]) => { objects.objects.set(key, object) })
      yield []
    }

    await checkAll(new PackStorage({ objects }), blocks)
  })

  it('may be deleted and written anew while a node reads them', async () => {
    const store = new Store()
    const [kept, garbage] = [await texts(50, 'kept'), await texts(50, 'garbage')]
    await store.add([...kept, ...garbage])
    const reader = store.storage()
    expect(await reader.has(garbage[0].cid)).toBe(true)
    await store.collect(kept)
    await checkAll(reader, kept)
    expect(await errorOf(checkAll(store.storage(), garbage))).toMatchObject({ name: 'NotFoundError' })
  })
})

describe('a pack that is damaged', () => {
  const damages: Array<[what: string, change: (bytes: Uint8Array) => Uint8Array]> = [
    ['has another byte in its table', bytes => flip(bytes, 300)],
    ['has another byte in its header', bytes => flip(bytes, 10)],
    ['has another byte in a frame', bytes => flip(bytes, bytes.byteLength - 200_000)],
    ['is cut in its table', bytes => bytes.subarray(0, 200)],
    ['is cut in a frame', bytes => bytes.subarray(0, bytes.byteLength - 200_000)],
    ['is empty', () => new Uint8Array()]
  ]

  it.each(damages)('is named if it %s, and what it held can be stored again', async (_, change) => {
    const store = new Store()
    const blocks = [...await texts(20), await noise(400_000)]
    await store.add(blocks)
    const [key] = store.packs
    setBytes(store, key, change(bytesAt(store, key)))
    const storage = store.storage()
    const err = await errorOf(checkAll(storage, blocks))

    const hasTable = storage.catalog.damaged.length === 0
    expect(err).toMatchObject(hasTable ? { name: 'StoreObjectError', key } : { name: 'NotFoundError' })
    expect([err, ...storage.catalog.damaged]).toContainEqual(expect.objectContaining({ key }))
    // as a repair does: it puts what it has found damaged
    const session = await store.session()
    await putAll(storage.forSession(session), await damagedOf(storage, blocks))
    await storage.sync()
    await session.end()
    await checkAll(store.storage(), blocks)
  })

  it('is named if another one lies in its place', async () => {
    const store = new Store()
    const [a, b] = [await texts(20, 'a'), await texts(20, 'b')]
    await store.add(a)
    await store.add(b)
    const [first, second] = store.packs
    const bytes = bytesAt(store, first)
    setBytes(store, first, bytesAt(store, second))
    setBytes(store, second, bytes)
    const storage = store.storage()
    expect(await errorOf(checkAll(storage, a))).toMatchObject({ name: 'NotFoundError' })
    expect(storage.catalog.damaged.map(({ key }) => key).toSorted()).toEqual([first, second])
  })

  it('is not taken for a block of a node that knows its table, if another one lies in its place', async () => {
    const store = new Store()
    const [a, b] = [await texts(20, 'a'), await texts(20, 'b')]
    await store.add(a)
    const [first] = store.packs
    await store.add(b)
    const storage = store.storage()
    expect(await storage.has(a[0].cid)).toBe(true)
    const [second] = store.packs.filter(key => key !== first)
    setBytes(store, first, bytesAt(store, second))
    expect(await errorOf(checkAll(storage, a))).toMatchObject({ name: 'StoreObjectError', key: first })
  })

  it('is named by who reads a block alone that could not be read together with others', async () => {
    const store = new Store()
    const blocks = [...await texts(20), await noise(400_000)]
    await store.add(blocks)
    const [key] = store.packs
    setBytes(store, key, bytesAt(store, key).subarray(0, -200_000))
    const { reading } = store.storage()
    const read = await reading.getTogether(blocks.map(({ cid }) => cid), { maxBytes: 1_000_000 })

    expect(read.map(bytes => bytes != null)).toEqual(blocks.map((_, i) => i < 20))
    expect(await errorOf(reading.get(blocks[20].cid))).toMatchObject({ name: 'StoreObjectError', key })
  })

  it('is named by who reads a block alone whose hash is wrong, as who reads several compares them', async () => {
    const store = new Store()
    const block = await noise(400_000)
    await store.add([block])
    const [key] = store.packs
    const bytes = Uint8Array.from(bytesAt(store, key))
    bytes[bytes.byteLength - 200_000] ^= 1
    setBytes(store, key, bytes)
    const { reading } = store.storage()
    const [read] = await reading.getTogether([block.cid], { maxBytes: 1_000_000 })

    expect(read?.byteLength).toBe(400_000)
    expect(await errorOf(reading.get(block.cid))).toMatchObject({ name: 'StoreObjectError', key })
  })

  it('is left alone by a collection', async () => {
    const store = new Store()
    const [a, b] = [await texts(20, 'a'), await texts(20, 'b')]
    await store.add(a)
    const [first] = store.packs
    await store.add(b)
    setBytes(store, first, flip(bytesAt(store, first), 300))
    await store.collect([])
    expect(store.packs).toEqual([first])
  })

  it('keeps the pack of a pinned block that cannot be read anywhere', async () => {
    const store = new Store()
    const [kept, garbage] = [[await noise(100_000)], await texts(500, 'garbage', 2000)]
    await store.add([...kept, ...garbage])
    const [key] = store.packs
    const bytes = bytesAt(store, key)
    setBytes(store, key, flip(bytes, Buffer.from(bytes).indexOf(kept[0].bytes.subarray(0, 16)) + 5000))
    const { left } = await store.collect(kept)
    expect(left).toBe(1)
    expect(store.packs).toEqual([key])
    // once somebody has stored the block again, the pack goes
    await store.add(kept)
    expect(await store.collect(kept)).toMatchObject({ left: 0 })
    expect(store.packs).not.toContain(key)
    await checkAll(store.storage(), kept)
  })

  it('is deleted once what was damaged is in other packs', async () => {
    const store = new Store()
    const hex = await texts(60, 'hex', 160)
    const blocks = [...hex, ...await Promise.all(Array.from({ length: 60 }, async () => noise(5000)))]
    await store.add(blocks)
    const [key] = store.packs
    const bytes = Uint8Array.from(bytesAt(store, key))
    bytes.fill(0, bytes.byteLength - 200_000, bytes.byteLength - 100_000)
    setBytes(store, key, bytes)
    const storage = store.storage()
    const damaged = await damagedOf(storage, blocks)
    expect(damaged.length).toBeGreaterThan(10)

    // as a daemon stores what it has fetched
    for (let start = 0; start < damaged.length; start += 7) {
      await putAllPlain(storage, damaged.slice(start, start + 7))
      await storage.flush()
    }

    await checkAll(store.storage(), blocks)
    expect(await store.collect(blocks)).toMatchObject({ left: 0, kept: blocks.length })
    await checkAll(store.storage(), blocks)
  })

  it('and the good copy of its block in another pack: the good one stays', async () => {
    const store = new Store()
    const block = await noise(100_000)
    await store.add([block])
    const [key] = store.packs
    const bytes = bytesAt(store, key)
    setBytes(store, key, flip(bytes, Buffer.from(bytes).indexOf(block.bytes.subarray(0, 16)) + 5000))
    const storage = store.storage()
    expect(await errorOf(checkAll(storage, [block]))).toMatchObject({ name: 'StoreObjectError' })
    await store.add([block, ...await texts(5)], storage)

    for (let i = 0; i < 3; i++) {
      await store.collect([block], undefined, 0)
      await checkAll(store.storage(), [block])
    }
  })
})

describe('a collection of packs', () => {
  it('deletes packs that nothing needs, and copies what is needed of others', async () => {
    const store = new Store()
    const [kept, garbage, gone] = [await texts(30, 'kept'), await texts(300, 'garbage'), await texts(40, 'gone')]
    await store.add([...kept, ...garbage])
    await store.add(gone)
    const before = store.packs
    const result = await store.collect(kept)

    expect(result).toMatchObject({ removed: 340, kept: 30, left: 0 })
    expect(store.packs).toHaveLength(1)
    expect(before).not.toContain(store.packs[0])
    await checkAll(store.storage(), kept)
    expect(store.objects.keys().filter(key => !/^(packs|records)\//.test(key))).toEqual([])
  })

  it('ends after one round, although what it has not condemned is partly unused', async () => {
    const store = new Store()
    const half = async (): Promise<Block[]> => Promise.all([noise(100_000), noise(100_000)])
    const halves = await Promise.all(Array.from({ length: 8 }, half))
    const [kept, bit] = [await noise(180_000), await noise(20_000)]

    for (const blocks of [...halves, [kept, bit]]) {
      await store.add(blocks)
    }

    const { rounds } = await store.collect([...halves.map(([block]) => block), kept], store.storage(), 0.05)

    expect(rounds).toBe(1)
  })

  it.each([sha256, sha512])('has blocks whose hash it compares, so that nobody else need, of $name', async hasher => {
    const { cid, bytes } = await noise(1000)
    const other = CID.createV1(cid.code, await hasher.digest(bytes))
    const store = new Store()
    const storage = store.storage()
    await storage.put(other, bytes)
    await storage.sync()
    const [{ bytes: pack }] = store.objects.objects.values()
    const at = Buffer.from(pack.buffer, pack.byteOffset).indexOf(bytes.subarray(0, 32))
    pack[at + 500] ^= 1

    expect([storage.checksBlocks, storage.forSession(await store.session()).checksBlocks]).toEqual([true, true])
    await expect(collectBytes(store.storage().get(other))).rejects.toMatchObject({
      name: hasher === sha256 ? 'StoreObjectError' : 'CorruptBlockError'
    })
  })

  it('reads a pack while it copies another', async () => {
    const store = new Store()
    const packs = await Promise.all([1, 2].map(async () =>
      Promise.all(Array.from({ length: 10 }, async () => noise(50_000)))))

    for (const blocks of packs) {
      await store.add(blocks)
    }

    const storage = store.storage()
    await storage.catalog.refresh()
    const both = Promise.withResolvers<void>()
    const asked = new Set<string>()
    store.fault = async ({ kind, key }) => {
      if (kind === 'get' && key.startsWith('packs/') && asked.add(key).size === 2) {
        both.resolve()
      }

      await (asked.size > 0 && kind === 'get' ? both.promise : undefined)
    }

    await store.collect(packs.map(([block]) => block), storage)
    expect(store.packs).toHaveLength(1)
  })

  it('reads no more of a pack than what it copies', async () => {
    const store = new Store()
    const blocks = await Promise.all(Array.from({ length: 200 }, async () => noise(50_000)))
    await store.add(blocks)
    const storage = store.storage()
    await storage.catalog.refresh()
    const read = vi.spyOn(storage, 'read')
    const kept = blocks.slice(30, 40)
    await store.collect(kept, storage)
    const bytes = read.mock.calls.reduce((sum, [,, { length }]) => sum + length, 0)

    expect(bytes).toBeLessThan(10 * 50_000 + 3 * PIECE)
    await checkAll(store.storage(), kept)
  })

  it('copies with a request or two for each pack', async () => {
    const store = new Store()
    const packs = await Promise.all(Array.from({ length: 3 }, async () =>
      Promise.all(Array.from({ length: 40 }, async () => noise(50_000)))))

    for (const blocks of packs) {
      await store.add(blocks)
    }

    const storage = store.storage()
    await storage.catalog.refresh()
    store.operations.length = 0
    await store.collect(packs.flatMap(blocks => blocks.filter((_, i) => i % 3 === 0)), storage)

    expect(store.operations.filter(({ kind, key }) => kind === 'get' && key.startsWith('packs/'))).toHaveLength(3)
  })

  it('leaves packs of which little is unused', async () => {
    const store = new Store()
    const blocks = await texts(100)
    await store.add(blocks)
    const before = store.packs
    await store.collect(blocks.slice(3))
    expect(store.packs).toEqual(before)
  })

  it('joins many small packs', async () => {
    const store = new Store()
    const blocks = await texts(20)

    for (const block of blocks) {
      await store.add([block])
    }

    await store.collect(blocks)
    expect(store.packs).toHaveLength(1)
    await checkAll(store.storage(), blocks)
  })

  it('stores blocks once that two nodes have stored at the same time', async () => {
    const store = new Store()
    const blocks = await texts(30)
    const other = new Store()
    await store.add(blocks)
    await other.add(blocks)
    // as if both had listed the packs before the other one stored its own
    setBytes(store, other.packs[0], bytesAt(other, other.packs[0]))
    expect(store.packs).toHaveLength(2)
    await store.collect(blocks)
    expect(store.packs).toHaveLength(1)
    await checkAll(store.storage(), blocks)
  })

  it('keeps what a session relies on, and deletes it in the next run', async () => {
    const store = new Store()
    const garbage = await texts(30)
    await store.add(garbage)
    const storage = store.storage()
    const session = await store.session()
    expect(await storage.forSession(session).has(garbage[0].cid)).toBe(true)
    expect(await store.collect([])).toMatchObject({ left: 1 })
    expect(store.packs).toHaveLength(1)
    await session.confirm()
    await session.end()
    expect(await store.collect([])).toMatchObject({ left: 0, removed: 30 })
    expect(store.packs).toEqual([])
  })

  it('deletes in the next run what a session relied on that has died', async () => {
    const store = new Store()
    const garbage = await texts(30)
    await store.add(garbage)
    const storage = store.storage()
    const session = await store.session()
    await storage.forSession(session).has(garbage[0].cid)
    expect(await store.collect([])).toMatchObject({ left: 1 })
    store.fault = () => { throw new Error('killed') }
    await session.end()
    store.fault = () => {}
    expect(await store.collect([])).toMatchObject({ left: 0 })
    expect(store.packs).toEqual([])
  })

  it('does not touch packs of a session that has not pinned yet', async () => {
    const store = new Store()
    const storage = store.storage()
    const session = await store.session()
    const blocks = await texts(30)
    await putAll(storage.forSession(session), blocks)
    await storage.sync()
    expect(await store.collect([])).toMatchObject({ left: 0, rounds: 0 })
    await session.confirm()
    await checkAll(store.storage(), blocks)
    await session.end()
  })

  it('lets a session store again what is condemned', async () => {
    const store = new Store()
    const garbage = await texts(30)
    await store.add(garbage)
    const relying = store.storage()
    const first = await store.session()
    await relying.forSession(first).has(garbage[0].cid)
    // the round stays
    await store.collect([])
    const storage = store.storage()
    const session = await store.session()
    const blockstore = storage.forSession(session)
    expect(await blockstore.has(garbage[1].cid)).toBe(true)
    await checkAll(blockstore, garbage.slice(2, 4))
    await blockstore.put(garbage[4].cid, garbage[4].bytes)
    await storage.sync()
    await session.confirm()
    await first.end()
    await store.collect(garbage.slice(1, 5))
    await session.end()
    await checkAll(store.storage(), garbage.slice(1, 5))
    expect(await errorOf(checkAll(store.storage(), garbage.slice(5)))).toMatchObject({ name: 'NotFoundError' })
  })

  it('may be killed at every step: nothing is lost, and the next one completes it', async () => {
    const [kept, garbage] = [await texts(20, 'kept'), await texts(60, 'garbage')]
    let steps = Infinity

    for (let kill = 0; kill < steps; kill++) {
      const store = new Store()
      await store.add([...kept, ...garbage])
      store.operations.length = 0
      store.fault = () => {
        if (store.operations.length > kill) {
          throw new Error('killed')
        }
      }
      const err = await errorOf(store.collect(kept))
      steps = err == null ? kill : Infinity
      store.fault = () => {}
      await checkAll(store.storage(), kept)
      expect(await store.collect(kept)).toMatchObject({ left: 0 })
      await checkAll(store.storage(), kept)
      expect(await errorOf(checkAll(store.storage(), garbage))).toMatchObject({ name: 'NotFoundError' })
      // sessions that died are fenced by the next collection that has something to delete
      expect(store.objects.keys().filter(key => !/^(packs|records|sessions|leases)\//.test(key))).toEqual([])
    }

    expect(steps).toBeGreaterThan(15)
  })

  it('counts in a dry run, and writes nothing', async () => {
    const store = new Store()
    const blocks = await texts(30)
    await store.add(blocks)
    const before = store.objects.keys()
    const result = await collect({
      store: store.objects,
      storage: store.storage(),
      leaseTimeout: LEASE_TIMEOUT,
      readPins: async function * () {},
      walk: async function * () {},
      reached: { has: () => false }
    }, { signal: new AbortController().signal, dryRun: true })
    expect(result).toMatchObject({ removed: 30, kept: 0 })
    expect(store.objects.keys()).toEqual(before)
  })
})

function bytesAt (store: Store, key: string): Uint8Array {
  return store.objects.objects.get(key)?.bytes ?? new Uint8Array()
}

function setBytes (store: Store, key: string, bytes: Uint8Array): void {
  store.objects.objects.set(key, { bytes: Uint8Array.from(bytes), modified: new Date(0) })
}

function flip (bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] ^= 0x40

  return copy
}

/** The blocks that cannot be read. */
async function damagedOf (storage: PackStorage, blocks: readonly Block[]): Promise<Block[]> {
  const damaged: Block[] = []

  for (const block of blocks) {
    if (await errorOf(collectBytes(storage.get(block.cid))) != null) {
      damaged.push(block)
    }
  }

  return damaged
}
