import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { CarReader } from '@ipld/car'
import { createHelia } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha512 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { NodeDisk } from '../src/disk/node-disk.ts'
import { encodeBlocks } from '../src/encode/encode-blocks.ts'
import { PackedBlockstore } from '../src/index.ts'
import { present } from './check.ts'
import { it, nameOf, putAll, random } from './fixtures.ts'
import { blockOf, texts } from './texts.ts'
import type { Disk } from '../src/index.ts'

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const MIB = 1024 * 1024

function hashes (cids: CID[]): string[] {
  return cids.map(({ multihash }) => Buffer.from(multihash.bytes).toString('hex'))
}

describe('packs', () => {
  it('take the deletion and the collection of what was never put, in a directory without packs', async ({ open }) => {
    const store = await open()
    const { cid } = random(10)

    await expect(store.delete(cid)).resolves.toBeUndefined()
    await expect(store.repack()).resolves.toMatchObject({ packs: 0, blocks: 0 })
  })

  it('are CARs that zstd decompresses, with all blocks under their CIDs, and with a seek table', async ({
    directory, open
  }) => {
    const store = await open()
    const blocks = [...texts(500), ...range(20).map(i => random(i * 20_000 + 1))]
    await putAll(store, blocks)
    await store.delete(blocks[0].cid)
    await store.close()
    const [name] = await readdir(join(directory, 'packs'))
    const pack = await readFile(join(directory, 'packs', name))
    // the seek table says where frames are
    const frames = pack.readUInt32LE(pack.byteLength - 9)
    const table = pack.byteLength - 9 - frames * 8
    let end = 0
    const contents = range(frames).map(i => {
      const start = end
      end += pack.readUInt32LE(table + i * 8)
      const size = pack.readUInt32LE(table + i * 8 + 4)
      const content = size === 0 ? Buffer.alloc(0) : zstdDecompressSync(pack.subarray(start, end))
      expect(content.byteLength).toBe(size)

      return content
    })
    expect([end, pack.readUInt32LE(pack.byteLength - 4)]).toEqual([table - 8, 0x8f92eab1])

    const reader = await CarReader.fromBytes(Buffer.concat(contents))
    const found = await Array.fromAsync(reader.blocks())

    expect(found.map(({ cid }) => String(cid)).toSorted()).toEqual(blocks.map(({ cid }) => String(cid)).toSorted())
    expect(found.every(({ cid, bytes }) => blockOf(bytes).cid.equals(cid))).toBe(true)
  })

  it('have small blocks compressed together, and compressed ones as they are', async ({ directory, open }) => {
    const store = await open()
    const blocks = texts(2000)
    const before = blocks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
    await putAll(store, blocks)
    expect((await store.stats()).size).toBeLessThan(before)
    const [large] = [random(300_000)]
    await putAll(store, [large])
    const [name] = await readdir(join(directory, 'packs'))
    const pack = await readFile(join(directory, 'packs', name))
    expect(pack.includes(Buffer.from(large.bytes.subarray(0, 100_000)))).toBe(true)
    expect(await present(store, [...blocks, large])).toHaveLength(2001)
  })

  it('hold blocks of any size, also empty ones, and such that are larger than a frame', async ({ open }) => {
    const store = await open()
    const sizes = [0, 1, 255, 256, 131_071, 131_072, 131_073, 262_144, MIB, 5 * MIB]
    const blocks = sizes.flatMap(size => [random(size), blockOf(Buffer.alloc(size, `text ${size}`))])
    await putAll(store, blocks)
    expect(await present(store, blocks)).toHaveLength(blocks.length)
    await store.close()
    const again = await open()
    expect(await present(again, blocks)).toHaveLength(blocks.length)
    expect(await Array.fromAsync(again.verify())).toEqual([])
    expect(await nameOf(again.put(blocks[0].cid, Buffer.alloc(129 * MIB)))).toBe('BlockTooLargeError')
  })

  it('keep CIDs of all kinds, and list them', async ({ open }) => {
    const store = await open()
    const bytes = Buffer.from('some bytes')
    const cids = [
      CID.createV0(blockOf(bytes).cid.multihash as never),
      CID.createV1(0x71, await sha512.digest(bytes)),
      CID.createV1(raw.code, identity.digest(bytes))
    ]
    await putAll(store, cids.map(cid => ({ cid, bytes })))
    await store.close()
    const again = await open()
    const listed = (await Array.fromAsync(again.getAll())).map(({ cid }) => cid)
    const inPacks = (await Array.fromAsync(again.getAll({ order: 'packs' }))).map(({ cid }) => cid)

    expect(hashes(listed).toSorted()).toEqual(hashes(cids).toSorted())
    expect(inPacks.map(String).toSorted()).toEqual(cids.map(String).toSorted())

    for (const cid of cids) {
      expect(Buffer.concat(await Array.fromAsync(again.get(cid)))).toEqual(bytes)
    }
  })

  it('are sealed when they are full, and their index files are merged', async ({ directory, open }) => {
    const store = await open({ packSize: 10_000 })
    const blocks = range(60).map(() => random(5000))

    for (const { cid, bytes } of blocks) {
      await store.put(cid, bytes)
    }

    // not only at the end: a process may add for days
    expect((await readdir(join(directory, 'index'))).length).toBeLessThan(10)
    await store.close()
    expect((await readdir(join(directory, 'packs'))).length).toBe(30)
    expect((await readdir(join(directory, 'index'))).length).toBeLessThan(10)
    expect(await present(await open(), blocks)).toEqual(range(60))
  })
})

describe('a block that was read', () => {
  it('is in memory of its own, before it is written, in a frame of its own, and with others', async ({ open }) => {
    const blocks = [...texts(50), random(300_000), blockOf(Buffer.alloc(500_000, 'shrinks'))]
    const store = await open({ durability: 'sync' })
    await putAll(store, blocks)

    for (const change of [async () => {}, async () => store.sync(), async () => {}]) {
      await change()

      for (const { cid, bytes } of blocks) {
        const [read] = await Array.fromAsync(store.get(cid))
        expect(Buffer.compare(read, bytes)).toBe(0)
        new Uint8Array(read.buffer).fill(0)
      }
    }
  })
})

describe('small packs', () => {
  it('are joined, so that many processes that add one file each leave few files, and all blocks', async ({
    directory, open
  }) => {
    const blocks = texts(120)
    let most = 0

    for (const { cid, bytes } of blocks) {
      const store = await open({ durability: 'sync' })
      await store.put(cid, bytes)
      await store.close()
      const files = await readdir(directory, { recursive: true })
      most = Math.max(most, files.length)
    }

    const store = await open()
    expect(most).toBeLessThan(40)
    expect(await present(store, blocks)).toHaveLength(120)
    expect(await Array.fromAsync(store.verify())).toEqual([])
    expect((await store.stats()).blocks).toBe(120)
  })

  it('that are damaged stay when others are joined', async ({ directory, open }) => {
    const blocks = range(24).map(() => random(500))

    for (const [i, { cid, bytes }] of blocks.entries()) {
      const store = await open()
      await store.put(cid, bytes)
      await store.close()

      if (i === 2) {
        for (const name of await readdir(join(directory, 'packs'))) {
          const pack = await readFile(join(directory, 'packs', name))
          const at = pack.indexOf(bytes)

          if (at > 0) {
            pack[at + 10] ^= 1
            await writeFile(join(directory, 'packs', name), pack)
          }
        }
      }
    }

    const store = await open()
    const damage = await Array.fromAsync(store.verify())
    expect(damage.map(({ cid }) => String(cid))).toEqual([String(blocks[2].cid)])
    expect(await present(store, blocks.filter((_, i) => i !== 2))).toHaveLength(23)
  })
})

describe('a process that only reads', () => {
  it('makes no file, takes no lock, and opens no pack before it reads a block', async ({ directory, open }) => {
    const blocks = texts(5)
    const writer = await open()
    await putAll(writer, blocks)
    await writer.close()
    const before = await readdir(directory, { recursive: true })
    const calls: string[] = []
    const store = await open({}, recorded(new NodeDisk(directory), calls))
    expect(calls).toEqual([])
    expect(await store.hasMany([...blocks, random(9)].map(({ cid }) => cid))).toEqual([...Array(5).fill(true), false])
    expect(calls.filter(call => call.includes('packs/'))).toEqual([])
    expect(await present(store, blocks)).toHaveLength(5)
    await store.close()
    expect(new Set(calls.map(call => call.split(' ')[0]))).toEqual(new Set(['sizeOf', 'list', 'openRead']))
    // one look, and a pack
    expect(calls.filter(call => !call.startsWith('sizeOf'))).toHaveLength(4)
    expect(await readdir(directory, { recursive: true })).toEqual(before)
  })

  it('finds nothing in a directory that does not exist, and does not make it', async ({ directory }) => {
    const store = new PackedBlockstore(join(directory, 'none'))
    await store.open()
    expect(await store.has(texts(1)[0].cid)).toBe(false)
    expect(await nameOf(Array.fromAsync(store.get(texts(1)[0].cid)))).toBe('NotFoundError')
    expect(await Array.fromAsync(store.getAll())).toEqual([])
    await store.close()
    expect(await readdir(directory)).toEqual([])
  })
})

describe('a store', () => {
  it('says which blocks it has, and which of them another process may still lose', async ({ open }) => {
    const [one, two] = [await open({ durability: 'sync' }), await open()]
    const [synced, unsynced, missing] = texts(3)
    await one.putEncoded(encodeBlocks([synced]))
    await one.sync()
    await one.putEncoded(encodeBlocks([unsynced]))
    const cids = [missing, unsynced, synced].map(({ cid }) => cid)
    expect(await two.hasMany(cids)).toEqual([false, true, true])
    expect(await two.hasMany(cids, { durable: true })).toEqual([false, false, true])
    expect(await one.hasMany(cids, { durable: true })).toEqual([false, true, true])
  })

  it('returns blocks of an array in its order, whatever their order in the packs, and those before one that is missing',
    async ({ open }) => {
      const store = await open()
      const blocks = [...texts(3000), random(300_000), random(9_000_000), random(10)]
      await putAll(store, blocks)
      const wanted = [...blocks.toReversed(), ...blocks.slice(0, 10), blocks[0]]
      const got: Uint8Array[] = []

      for await (const { bytes } of store.getMany(wanted.map(({ cid }) => cid))) {
        got.push(...await Array.fromAsync(bytes))
      }

      expect(got.length).toBe(wanted.length)
      expect(got.every((bytes, i) => Buffer.compare(bytes, wanted[i].bytes) === 0)).toBe(true)

      const seen: CID[] = []
      const reading = (async () => {
        for await (const { cid } of store.getMany([blocks[2], blocks[1], random(5), blocks[0]].map(({ cid }) => cid))) {
          seen.push(cid)
        }
      })()
      expect(await nameOf(reading)).toBe('NotFoundError')
      expect(seen).toEqual([blocks[2].cid, blocks[1].cid])
    })

  it('gives each block of an array that is there, wherever, in memory for that time', async ({
    open
  }) => {
    const store = await open({ verify: false })
    const blocks = [...texts(300), ...range(20).map(i => random(i * 20_000 + 1)), ...range(3).map(i => blockOf(
      Buffer.from(`${i} `.repeat(400_000))
    ))]
    await putAll(store, blocks)
    const wanted = [...blocks.toReversed(), random(5), ...blocks.slice(0, 10)]
    const given = new Map<number, boolean>()
    const memory = new Set<ArrayBufferLike>()

    await store.readEach(wanted.map(({ cid }) => cid), (bytes, i) => {
      given.set(i, Buffer.compare(bytes, wanted[i].bytes) === 0)
      memory.add(bytes.buffer)
    })

    expect([...given.keys()].toSorted((a, b) => a - b)).toEqual(range(wanted.length).filter(i => i !== blocks.length))
    expect(new Set(given.values())).toEqual(new Set([true]))
    // one for the small blocks that are not compressed, and one for each frame with others
    expect(memory.size).toBeLessThan(20)
  })

  it('lets timers run while blocks are read and looked for in a loop', async ({ open }) => {
    const store = await open()
    const [block] = texts(1)
    await putAll(store, [block])

    for (const look of [async () => present(store, [block]), async () => store.has(block.cid)]) {
      const timeout = AbortSignal.timeout(1)

      while (!timeout.aborted) {
        await look()
      }
    }
  })

  it('gives memory to each reader of a block: a change of it reaches nobody else', async ({ open }) => {
    const store = await open()
    const blocks = [...texts(2), random(100), random(300_000)]
    await putAll(store, blocks)

    for (let round = 0; round < 2; round++) {
      for (const { cid, bytes } of blocks) {
        const [got] = await Array.fromAsync(store.get(cid))
        expect(Buffer.compare(got, bytes)).toBe(0)
        got.fill(0)
      }
    }
  })

  it('sees what other instances put and delete, at once', async ({ open }) => {
    const [one, two] = [await open(), await open()]
    const [block] = texts(1)
    expect(await two.has(block.cid)).toBe(false)
    await one.put(block.cid, block.bytes)
    expect(await two.has(block.cid)).toBe(true)
    await two.delete(block.cid)
    expect(await one.has(block.cid)).toBe(false)
    await one.put(block.cid, block.bytes)
    expect(await present(two, [block])).toEqual([0])
  })

  it('stores a block again that another instance has deleted', async ({ open }) => {
    const [one, two] = [await open(), await open()]
    const [block] = texts(1)
    await one.put(block.cid, block.bytes)
    await two.delete(block.cid)
    await two.repack({ maxUnused: 0 })
    await one.put(block.cid, block.bytes)
    expect(await present(await open(), [block])).toEqual([0])
  })

  it('frees the space of deleted blocks, and no other, with repack', async ({ open }) => {
    const store = await open({ packSize: 100_000 })
    const blocks = range(100).map(() => random(5000))
    await putAll(store, blocks)
    await Array.fromAsync(store.deleteMany(blocks.slice(0, 50).map(({ cid }) => cid)))
    const { dead } = await store.stats()
    const seen: number[] = []
    const { before, after } = await store.repack({
      maxUnused: 0, onProgress: ({ detail }) => { seen.push(detail.packs) }
    })

    expect(dead).toBeGreaterThan(240_000)
    expect(before - after).toBeGreaterThan(240_000)
    expect(seen.length).toBeGreaterThan(0)
    expect((await store.stats()).blocks).toBe(50)
    expect(await present(store, blocks)).toEqual(range(100).slice(50))
  })

  it('removes packs in which nothing is kept, and no other, on a full disk too', async ({ directory, open }) => {
    const disk = new NodeDisk(directory)
    const first = await open({ packSize: 20_000 })
    const blocks = range(40).map(() => random(5000))

    for (const { cid, bytes } of blocks) {
      await first.put(cid, bytes)
    }

    await first.close()
    const [store, other] = [await open({}, disk), await open()]
    const kept = blocks.filter((_, i) => i === 3 || i > 30)
    const keys = new Set(hashes(kept.map(({ cid }) => cid)))
    const before = await store.stats()
    expect((await present(other, blocks)).length).toBe(40)
    disk.open = async (name, mode) => {
      if (mode !== 'append') {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      }

      return NodeDisk.prototype.open.call(disk, name, mode)
    }

    const removed = await store.removeUnused(bytes => keys.has(Buffer.from(bytes).toString('hex')))

    const after = await store.stats()
    expect(removed).toEqual({
      packs: before.packs.length - after.packs.length,
      blocks: before.blocks - after.blocks,
      bytes: before.size - after.size
    })
    expect(removed.packs).toBeGreaterThan(4)
    expect(await present(store, kept)).toEqual(range(kept.length))
    expect(await present(other, blocks)).toHaveLength(after.blocks)
    // nothing else than what is in packs with what is kept
    expect(after.blocks).toBeLessThan(kept.length + 8)
  })

  it('removes no pack that is written, or in which another block is deleted', async ({ open }) => {
    const [one, two] = [await open(), await open()]
    const blocks = range(4).map(() => random(5000))
    await putAll(one, blocks.slice(0, 2))
    await one.close()
    await one.open()
    await one.delete(blocks[0].cid)
    await putAll(two, blocks.slice(2, 3))
    await one.close()
    await one.open()
    const keys = new Set(hashes([blocks[1].cid]))

    // the first pack has a block that is kept, the second one the deletion, and the third one a writer
    expect(await one.removeUnused(bytes => keys.has(Buffer.from(bytes).toString('hex'))))
      .toEqual({ packs: 0, blocks: 0, bytes: 0 })
    expect(await present(one, blocks)).toEqual([1, 2])
  })

  it('reads on while another instance repacks', async ({ open }) => {
    const [one, two] = [await open({ packSize: 50_000 }), await open()]
    const blocks = range(60).map(() => random(5000))
    await putAll(one, blocks)
    expect(await present(two, blocks)).toHaveLength(60)
    await Array.fromAsync(one.deleteMany(blocks.slice(0, 30).map(({ cid }) => cid)))
    await Promise.all([one.repack({ maxUnused: 0 }), present(two, blocks.slice(30))])
    expect(await present(two, blocks)).toEqual(range(60).slice(30))
  })

  it('takes blocks that worker threads have encoded', async ({ open }) => {
    const store = await open()
    const blocks = [...texts(100), random(200_000)]
    await store.putEncoded(structuredClone(encodeBlocks(blocks)))
    expect(await present(store, blocks)).toHaveLength(101)
    await store.close()
    expect(await present(await open(), blocks)).toHaveLength(101)
  })

  it('says where blocks are, in the order of the packs', async ({ open }) => {
    const store = await open()
    const blocks = range(10).map(() => random(200_000))
    await putAll(store, blocks)
    const found = await store.locations(blocks.map(({ cid }) => cid).toReversed().concat(random(10).cid))
    expect(found.map(({ cid }) => String(cid))).toEqual(blocks.map(({ cid }) => String(cid)))
    expect(found.map(({ offset }) => offset)).toEqual(found.map(({ offset }) => offset).toSorted((a, b) => a - b))
  })

  it('has the same blocks after its index was made anew', async ({ open }) => {
    const store = await open({ packSize: 20_000 })
    const blocks = range(30).map(() => random(3000))
    await putAll(store, blocks)
    await store.delete(blocks[7].cid)
    const before = await store.stats()
    await store.rebuildIndex()
    const after = await store.stats()
    expect([after.blocks, after.bytes]).toEqual([before.blocks, before.bytes])
    expect(await present(store, blocks)).toEqual(range(30).filter(i => i !== 7))
  })

  it('refuses to be used when it is not open, and numbers out of range', async ({ directory, open }) => {
    const store = await open()
    await store.close()
    expect(await nameOf(store.has(texts(1)[0].cid))).toBe('StoreClosedError')
    expect(await nameOf(store.put(texts(1)[0].cid, Buffer.alloc(1)))).toBe('StoreClosedError')
    expect(() => new PackedBlockstore(directory, { level: 30 })).toThrow(RangeError)
    expect(() => new PackedBlockstore(directory, { packSize: 2 ** 40 })).toThrow(RangeError)
    expect(() => new PackedBlockstore(directory, { maxUnused: NaN })).toThrow(RangeError)
  })

  it('holds a file that Helia adds, and reads it after it was opened again', async ({ open }) => {
    const content = Buffer.concat([random(3 * MIB).bytes, Buffer.alloc(MIB, 'text')])
    const store = await open()
    const cid = await unixfs(createHelia({ blockstore: store })).addBytes(content)
    await store.close()
    const again = await open()
    const read = await Array.fromAsync(unixfs(createHelia({ blockstore: again })).cat(cid, { offline: true }))
    expect(Buffer.compare(Buffer.concat(read), content)).toBe(0)
  })
})

/** A disk that notes which calls are made. */
function recorded (disk: NodeDisk, calls: string[]): Disk {
  return new Proxy(disk, {
    get: (target, name: keyof Disk) => (...args: unknown[]) => {
      calls.push(`${name} ${args[0]}`)

      return Reflect.apply(target[name], target, args) as unknown
    }
  })
}
