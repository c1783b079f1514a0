/** @module-tag long */
/** What a store does with packs and index files that were torn, damaged, removed or exchanged. */
import {
  appendFile, chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile
} from 'node:fs/promises'
import { join } from 'node:path'
import { neededBytes } from '@ipfsz/utils/system-error'
import { describe, expect } from 'vitest'
import { NodeDisk } from '../src/disk/node-disk.ts'
import { PackedBlockstore } from '../src/index.ts'
import { present } from './check.ts'
import { it, nameOf, putAll, random } from './fixtures.ts'
import { texts } from './texts.ts'
import type { Disk, DiskFile } from '../src/index.ts'

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

describe('packs that are not whole', () => {
  it('has each group whole or not at all if a pack is torn at any byte, and takes new blocks', async ({
    directory, open
  }) => {
    const blocks = texts(4)
    const store = await open()
    const sizes: number[] = []

    for (const block of blocks) {
      await store.put(block.cid, block.bytes)
      sizes.push((await store.stats()).size)
    }

    const [name] = await readdir(join(directory, 'packs'))
    const pack = await readFile(join(directory, 'packs', name))

    for (let length = 0; length <= pack.byteLength; length++) {
      const copy = join(directory, 'copy')
      await mkdir(join(copy, 'packs'), { recursive: true })
      await writeFile(join(copy, 'packs', name), pack.subarray(0, length))
      const torn = new PackedBlockstore(copy)
      await torn.open()
      const expected = range(sizes.filter(size => size <= length).length)
      expect(await present(torn, blocks), `${length} bytes`).toEqual(expected)

      if (length % 40 === 0) {
        const more = texts(1, 'more')
        await putAll(torn, more)
        await torn.close()
        const again = new PackedBlockstore(copy)
        await again.open()
        expect(await present(again, [...more, ...blocks])).toEqual(range(expected.length + 1))
        expect(await Array.fromAsync(again.verify())).toEqual([])
        await again.close()
      } else {
        await torn.close()
      }

      await rm(copy, { recursive: true })
    }
  })

  it('names the block that is damaged, keeps the others, and stores it again after a delete', async ({ directory }) => {
    const blocks = range(6).map(() => random(5000))
    const store = await closed(directory, blocks)
    const [name] = await readdir(join(directory, 'packs'))
    const pack = await readFile(join(directory, 'packs', name))
    const { bytes } = blocks[3]
    pack[pack.indexOf(bytes) + 100] ^= 1
    await writeFile(join(directory, 'packs', name), pack)
    await store.open()

    const damage = await Array.fromAsync(store.verify())
    expect(damage.map(({ cid }) => String(cid))).toEqual([String(blocks[3].cid)])

    await store.delete(blocks[3].cid)
    await store.put(blocks[3].cid, bytes)
    expect(await Array.fromAsync(store.verify())).toEqual([])
    expect(await present(store, blocks)).toEqual(range(6))
    await store.close()
  })

  it('does not remove a pack whose blocks cannot all be copied', async ({ directory }) => {
    const blocks = range(6).map(() => random(5000))
    const store = await closed(directory, blocks)
    const [name] = await readdir(join(directory, 'packs'))
    const pack = await readFile(join(directory, 'packs', name))
    pack[pack.indexOf(blocks[3].bytes) + 100] ^= 1
    await writeFile(join(directory, 'packs', name), pack)
    await store.open()
    await store.delete(blocks[0].cid)
    const { damaged } = await store.repack({ maxUnused: 0 })

    expect(damaged.map(String)).toEqual([String(blocks[3].cid)])
    expect(await readdir(join(directory, 'packs'))).toContain(name)
    expect(await present(store, blocks.filter((_, i) => i !== 3))).toEqual(range(5).slice(1))
    await store.close()
  })

  it('keeps the good copy of a block in a repack if the other one is damaged', async ({ directory }) => {
    const [twice, gone] = [random(5000), random(5000)]
    const [one, two] = [new PackedBlockstore(directory), new PackedBlockstore(directory)]
    await Promise.all([one.open(), two.open()])
    // neither knows that the other has it in memory
    await Promise.all([one, two].map(async store => store.putMany([twice, gone]).next()))
    await Promise.all([one.close(), two.close()])
    const names = await readdir(join(directory, 'packs'))
    expect(names).toHaveLength(2)

    for (const [i, name] of names.entries()) {
      const copy = `${directory}-${i}`
      await cp(directory, copy, { recursive: true })
      const path = join(copy, 'packs', name)
      const pack = await readFile(path)
      pack[pack.indexOf(twice.bytes) + 100] ^= 1
      await writeFile(path, pack)
      const store = new PackedBlockstore(copy)
      await store.open()
      await store.delete(gone.cid)
      await store.repack({ maxUnused: 0 })

      expect(await present(store, [twice])).toEqual([0])
      await store.close()
      await rm(copy, { recursive: true })
    }
  })

  it('returns the good copy of a block if the other one is damaged, whoever hashes blocks', async ({ directory }) => {
    const block = random(5000)
    const [one, two] = [new PackedBlockstore(directory), new PackedBlockstore(directory)]
    await Promise.all([one.open(), two.open()])
    await Promise.all([one, two].map(async store => store.putMany([block]).next()))
    await Promise.all([one.close(), two.close()])

    for (const name of await readdir(join(directory, 'packs'))) {
      const path = join(directory, 'packs', name)
      const pack = await readFile(path)
      await writeFile(path, flipped(pack, pack.indexOf(block.bytes) + 100))

      for (const verify of [true, false]) {
        const store = new PackedBlockstore(directory, { verify })
        await store.open()
        expect(await Array.fromAsync(store.get(block.cid))).toEqual([block.bytes])
        const [{ bytes }] = await Array.fromAsync(store.getMany([block.cid]))
        expect(await Array.fromAsync(bytes)).toEqual([block.bytes])
        await store.close()
      }

      await writeFile(path, pack)
    }
  })

  it('returns no damaged block, compressed or not', async ({ directory, open }) => {
    const block = random(5000)
    await (await closed(directory, [block])).close()
    const [name] = await readdir(join(directory, 'packs'))
    const path = join(directory, 'packs', name)
    const pack = await readFile(path)
    await writeFile(path, flipped(pack, pack.indexOf(block.bytes) + 100))

    expect(await nameOf(Array.fromAsync((await open()).get(block.cid)))).toBe('GetFailedError')
  })

  it('finds the groups behind a damaged header, with no index', async ({ directory }) => {
    const blocks = texts(5)
    const store = new PackedBlockstore(directory)
    await store.open()

    for (const { cid, bytes } of blocks) {
      await store.put(cid, bytes)
    }

    await store.close()
    const [name] = await readdir(join(directory, 'packs'))
    const pack = await readFile(join(directory, 'packs', name))
    pack[pack.indexOf(blocks[2].cid.bytes)] ^= 1
    await writeFile(join(directory, 'packs', name), pack)
    await rm(join(directory, 'index'), { recursive: true })
    await store.open()

    expect(await present(store, blocks)).toEqual([0, 1, 3, 4])
    expect((await Array.fromAsync(store.verify())).length).toBe(1)
    await store.close()
  })

  it('reports blocks of a pack that was exchanged or cut, and finds none of one that was removed', async ({
    directory
  }) => {
    const [first, second] = [texts(3, 'first'), texts(3, 'second')]
    await (await closed(directory, first)).close()
    const store = await closed(directory, second)
    const [a, b] = (await readdir(join(directory, 'packs'))).map(name => join(directory, 'packs', name))
    await rename(a, `${a}.moved`)
    await copyFile(b, a)
    await store.open()
    const errors = await Promise.all([...first, ...second].map(
      async ({ cid }) => nameOf(Array.fromAsync(store.get(cid)))
    ))
    expect(errors.toSorted()).toEqual([...Array(3).fill('GetFailedError'), ...Array(3).fill('no error')])
    await store.close()

    await writeFile(a, (await readFile(`${a}.moved`)).subarray(0, 100))
    await store.open()
    expect((await Promise.all([...first, ...second].map(
      async ({ cid }) => nameOf(Array.fromAsync(store.get(cid)))
    ))).toSorted()).toEqual([...Array(3).fill('GetFailedError'), ...Array(3).fill('no error')])
    await store.close()

    await rm(a)
    await store.open()
    expect(await present(store, [...first, ...second])).toHaveLength(3)
    await store.close()
  })

  it('reads a pack that somebody appended to', async ({ directory }) => {
    const blocks = texts(3)
    const store = await closed(directory, blocks)
    const [name] = await readdir(join(directory, 'packs'))
    const pack = await readFile(join(directory, 'packs', name))
    await writeFile(join(directory, 'packs', name), Buffer.concat([pack, pack]))
    await rm(join(directory, 'index'), { recursive: true })
    await store.open()
    expect(await present(store, blocks)).toEqual(range(3))
    await store.close()
  })
})

describe('index files', () => {
  it('are made again if they are missing, cut, damaged, empty, or of another store', async ({ directory }) => {
    const blocks = texts(50)
    const store = await closed(directory, blocks)
    const other = await closed(join(directory, 'other'), texts(20, 'other'))
    await other.close()
    const index = join(directory, 'index')
    const [name] = await readdir(index)
    const [foreign] = await readdir(join(directory, 'other', 'index'))
    const good = await readFile(join(index, name))
    const damages: Array<() => Promise<void>> = [
      async () => rm(join(index, name)),
      async () => writeFile(join(index, name), good.subarray(0, 500)),
      async () => writeFile(join(index, name), Buffer.alloc(0)),
      async () => writeFile(join(index, name), flipped(good, 100)),
      async () => writeFile(join(index, name), flipped(good, good.byteLength - 30)),
      async () => copyFile(join(directory, 'other', 'index', foreign), join(index, name))
    ]

    for (const [i, damage] of damages.entries()) {
      await damage()
      await store.open()
      expect(await present(store, blocks), `damage ${i}`).toEqual(range(50))
      await store.close()
      await rm(index, { recursive: true })
      await mkdir(index)
      await writeFile(join(index, name), good)
    }
  })

  it('that are cut or changed at any byte cost no block', async ({ directory }) => {
    const blocks = texts(4)
    await (await closed(directory, blocks)).close()
    const [name] = await readdir(join(directory, 'index'))
    const good = await readFile(join(directory, 'index', name))
    const cids = blocks.map(({ cid }) => cid)

    for (const at of good.keys()) {
      for (const bad of [good.subarray(0, at), flipped(good, at)]) {
        await writeFile(join(directory, 'index', name), bad)
        const store = new PackedBlockstore(directory)
        await store.open()
        expect(await store.hasMany(cids), `byte ${at}`).toEqual([true, true, true, true])
        expect(await present(store, blocks.slice(at % 4, at % 4 + 1))).toEqual([0])
        await store.close()
      }
    }
  })

  it('that list packs of which some are gone, or have grown, find the blocks of the others', async ({ directory }) => {
    const [first, second] = [texts(3, 'first'), texts(3, 'second')]
    await (await closed(directory, first)).close()
    const [gone] = await readdir(join(directory, 'packs'))
    const store = await closed(directory, second)
    const [other] = (await readdir(join(directory, 'packs'))).filter(name => name !== gone)
    await rm(join(directory, 'packs', gone))
    await appendFile(join(directory, 'packs', other), 'bytes of nobody')
    await store.open()
    expect(await present(store, [...first, ...second])).toEqual([3, 4, 5])
    expect(await Array.fromAsync(store.verify())).toEqual([])
    await putAll(store, first)
    await store.close()
    await store.open()
    expect(await present(store, [...first, ...second])).toEqual(range(6))
    await store.close()
  })

  it('return no wrong byte if two packs were exchanged, and all blocks once they are exchanged back', async ({
    directory
  }) => {
    const [first, second] = [texts(3, 'first'), texts(3, 'other')]
    await (await closed(directory, first)).close()
    const store = await closed(directory, second)
    const [a, b] = (await readdir(join(directory, 'packs'))).map(name => join(directory, 'packs', name))
    const exchange = async (): Promise<void> => {
      await rename(a, `${a}.moved`)
      await rename(b, a)
      await rename(`${a}.moved`, b)
    }
    const get = async (): Promise<string[]> => Promise.all([...first, ...second].map(
      async ({ cid }) => nameOf(Array.fromAsync(store.get(cid)))
    ))

    await exchange()
    await store.open()
    expect(await get()).toEqual(Array(6).fill('GetFailedError'))
    await store.close()
    await exchange()
    await store.open()
    expect(await present(store, [...first, ...second])).toEqual(range(6))
    await store.close()
  })

  it('that are older than the packs lack nothing', async ({ directory }) => {
    const [first, second] = [texts(10, 'first'), texts(10, 'second')]
    const store = await closed(directory, first)
    const index = await readdir(join(directory, 'index'))
    await store.open()
    await putAll(store, second)
    await store.delete(first[0].cid)
    await store.close()

    for (const name of await readdir(join(directory, 'index'))) {
      if (!index.includes(name)) {
        await rm(join(directory, 'index', name))
      }
    }

    await store.open()
    expect(await present(store, [...first, ...second])).toEqual(range(20).slice(1))
    await store.close()
  })
})

describe('file systems', () => {
  it('that are read-only are read, with the index and without it', async ({ directory, open }) => {
    const blocks = texts(5)
    await (await closed(directory, blocks)).close()
    const disk = readOnly(new NodeDisk(directory))
    expect(await present(await open({}, disk), blocks)).toEqual(range(5))
    await rm(join(directory, 'index'), { recursive: true })
    const store = await open({}, disk)
    expect(await present(store, blocks)).toEqual(range(5))
    expect(await nameOf(putAll(store, texts(1, 'new')))).toBe('PutFailedError')
    expect(await present(store, blocks)).toEqual(range(5))
  })

  it('that are full refuse a put, and what was put is stored once there is room', async ({ directory, open }) => {
    let room = 4000
    const disk = withWrites(new NodeDisk(directory), async (file, bytes, position) => {
      if (bytes.byteLength > room) {
        await file.write(bytes.subarray(0, room), position)
        room = 0
        throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      }

      room -= bytes.byteLength
      await file.write(bytes, position)
    })
    const store = await open({}, disk)
    const [small, large] = [texts(1), [random(8000)]]
    await putAll(store, small)

    expect(await nameOf(putAll(store, large))).toBe('PutFailedError')
    expect(await present(await open(), [...small, ...large])).toEqual([0])
    room = Infinity
    await store.sync()
    expect(await present(await open(), [...small, ...large])).toEqual([0, 1])
    await store.close()
    const again = await open()
    expect(await present(again, [...small, ...large])).toEqual([0, 1])
    expect(await Array.fromAsync(again.verify())).toEqual([])
  })

  it('that fail a sync end all writes, and not the reads', async ({ directory, open }) => {
    let fails = false
    const node = new NodeDisk(directory)
    const disk = withFiles(node, file => changed(file, {
      sync: async () => {
        if (fails) {
          fails = false
          throw Object.assign(new Error('lost'), { code: 'EIO' })
        }

        await file.sync()
      }
    }))
    const store = await open({}, disk)
    const blocks = texts(2)
    await putAll(store, blocks.slice(0, 1))
    fails = true

    expect(await nameOf(putAll(store, blocks.slice(1)))).toBe('StoreFailedError')
    expect(await nameOf(store.sync())).toBe('StoreFailedError')
    expect(await nameOf(store.delete(blocks[0].cid))).toBe('StoreFailedError')
    expect(await present(store, blocks.slice(0, 1))).toEqual([0])
  })

  it('of which a pack cannot be read keep the others readable', async ({ directory, open }) => {
    const [first, second] = [texts(3, 'first'), texts(3, 'second')]
    await (await closed(directory, first)).close()
    const [name] = await readdir(join(directory, 'packs'))
    await (await closed(directory, second)).close()
    await rm(join(directory, 'index'), { recursive: true })
    const node = new NodeDisk(directory)
    const store = await open({}, overridden(node, {
      openRead: path => {
        if (path.endsWith(name)) {
          throw Object.assign(new Error('denied'), { code: 'EACCES' })
        }

        return node.openRead(path)
      }
    }))

    expect(await present(store, second)).toEqual(range(3))
    // there may be deletions of the others in it
    expect(await store.hasMany(second.map(({ cid }) => cid))).toEqual([true, true, true])
    expect(await store.hasMany(second.map(({ cid }) => cid), { durable: true })).toEqual([false, false, false])
    expect(await nameOf(Array.fromAsync(store.get(first[0].cid)))).toBe('GetFailedError')
    expect(await nameOf(store.delete(second[0].cid))).toBe('DeleteFailedError')
    expect((await Array.fromAsync(store.verify())).length).toBe(1)
    await putAll(store, [...first, ...second])
    await store.close()
    await rm(join(directory, 'packs', name))
    expect(await present(await open(), [...first, ...second])).toEqual(range(6))
  })

  it('that are full say how many bytes could not be stored', async ({ directory, open }) => {
    const disk = withWrites(new NodeDisk(directory), async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })
    })
    const store = await open({ durability: 'sync' }, disk)
    await putAll(store, [random(8000), random(100)])
    const failure = await store.sync().catch((err: Error) => err)

    expect(failure && neededBytes(new Error('add failed', { cause: failure }))).toBe(8100)
  })
})

describe('a pack that somebody changes while it is open', () => {
  it.for<[what: string, change: (path: string, other: Buffer) => Promise<void>]>([
    ['removes', async path => rm(path)],
    ['exchanges', async (path, other) => {
      await rm(path)
      await writeFile(path, other)
    }],
    ['overwrites', async (path, other) => writeFile(path, other)],
    ['cuts', async path => truncate(path, 200)],
    ['appends to', async (path, other) => appendFile(path, other)],
    ['forbids to read', async path => chmod(path, 0)]
  ])('returns no wrong byte, and no error without a name, if somebody %s it', async ([, change], {
    directory, open
  }) => {
    const [blocks, others] = [[...texts(3), random(3000), random(300_000)], texts(3, 'other')]
    await (await closed(directory, blocks)).close()
    const [name] = await readdir(join(directory, 'packs'))
    await (await closed(`${directory}/other`, others)).close()
    const [other] = await readdir(join(directory, 'other', 'packs'))
    const store = await open()
    expect(await present(store, blocks)).toEqual(range(5))
    await change(join(directory, 'packs', name), await readFile(join(directory, 'other', 'packs', other)))
    const outcomes: string[] = []

    for (const reader of [store, await open({ verify: false })]) {
      for (const { cid, bytes } of blocks) {
        const read = await Array.fromAsync(reader.get(cid)).catch((err: Error) => err.name)
        outcomes.push(typeof read === 'string' ? read : Buffer.compare(read[0], bytes) === 0 ? 'right' : 'wrong')
      }

      await Array.fromAsync(reader.verify())
    }

    expect(new Set(['right', 'GetFailedError', 'NotFoundError']).isSupersetOf(new Set(outcomes))).toBe(true)
    await putAll(store, others)
    expect(await present(store, others)).toEqual(range(3))
  })
})

async function closed (directory: string, blocks: Parameters<typeof putAll>[1]): Promise<PackedBlockstore> {
  const store = new PackedBlockstore(directory)
  await store.open()
  await putAll(store, blocks)
  await store.close()

  return store
}

function flipped (bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] ^= 1

  return copy
}

function overridden (disk: NodeDisk, changes: Partial<Disk>): Disk {
  return new Proxy(disk, {
    get: (target, name: keyof Disk) => changes[name] ?? target[name]?.bind(target)
  })
}

function changed (file: DiskFile, changes: Partial<DiskFile>): DiskFile {
  return new Proxy(file, {
    get: (target, name: keyof DiskFile) => changes[name] ?? target[name]?.bind(target)
  })
}

function withFiles (disk: NodeDisk, change: (file: DiskFile) => DiskFile): Disk {
  return overridden(disk, { open: async (name, mode) => change(await disk.open(name, mode)) })
}

function withWrites (
  disk: NodeDisk,
  write: (file: DiskFile, bytes: Uint8Array, position: number) => Promise<void>
): Disk {
  return withFiles(disk, file => changed(file, { write: async (bytes, position) => write(file, bytes, position) }))
}

async function refuse (): Promise<never> {
  throw Object.assign(new Error('read-only'), { code: 'EROFS' })
}

function readOnly (disk: NodeDisk): Disk {
  return overridden(disk, {
    rename: refuse,
    remove: refuse,
    lock: refuse,
    open: refuse
  })
}
