/** @module-tag long */
/** Packs and index files that somebody made to do harm: their checksums are right. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { promisify } from 'node:util'
import { crc32, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { PackedBlockstore } from '../src/index.ts'
import { GROUP, encodeGroupHeader } from '../src/format/group-header.ts'
import { PACK_HEADER_SIZE, encodePackHeader } from '../src/format/pack-header.ts'
import { present } from './check.ts'
import { it, nameOf, putAll } from './fixtures.ts'
import { blockOf, texts } from './texts.ts'

const ID = '0123456789abcdef0123456789abcdef'
const GROUP_NUMBERS = { offset: PACK_HEADER_SIZE, synced: PACK_HEADER_SIZE, kind: GROUP }
/** What reading a block of a hostile pack may come to. */
const NAMES = ['NotFoundError', 'GetFailedError', 'no error']

describe('hostile packs', () => {
  it.skipIf(platform === 'win32').for(['packs', 'index', 'changes'].flatMap(name =>
    ['a named pipe', 'a symlink', 'a directory'].map(kind => [name, kind])))(
    'are not waited for and not followed: in the place of %s is %s',
    async ([kept, kind], { directory, open }) => {
      const store = await open()
      const [first, second] = texts(2)
      await putAll(store, [first, second])
      await store.delete(first.cid)
      await store.close()

      const names = kept === 'changes' ? [kept] : (await readdir(join(directory, kept))).map(name => join(kept, name))

      for (const path of names.map(name => join(directory, name))) {
        const make = {
          'a named pipe': async () => promisify(execFile)('mkfifo', [path]),
          'a symlink': async () => symlink('/dev/zero', path),
          'a directory': async () => mkdir(path)
        }[kind]
        await rm(path)
        await make?.()
      }

      const again = await open()
      const read = await nameOf(Array.fromAsync(again.get(second.cid)))
      expect(kept === 'packs' ? ['GetFailedError', 'NotFoundError'] : NAMES).toContain(read)
      await nameOf(again.put(first.cid, first.bytes))
      await nameOf(again.close())
    }
  )

  it('are read in bounded memory, whatever the numbers of a group are', async ({ directory }) => {
    await mkdir(join(directory, 'packs'), { recursive: true })
    const [block] = texts(1)
    const number = fc.oneof(fc.nat(100), fc.constantFrom(0xffffffff, 0x7fffffff, 0x80000000, 0x10000000))

    await fc.assert(fc.asyncProperty(fc.array(number, { minLength: 8, maxLength: 8 }), async numbers => {
      const [frames, blocks, stored, original, frame, start, length, cidLength] = numbers
      const data = zstdCompressSync(Buffer.alloc(10_000_000))
      const table = Buffer.alloc(22 + block.cid.bytes.byteLength)
      const rows = [stored, original, frame, start, length]
      rows.forEach((value, i) => table.writeUInt32LE(value, i * 4))
      table.writeUInt16LE(cidLength & 0xffff, 20)
      table.set(block.cid.bytes, 22)
      const header = encodeGroupHeader(ID, {
        ...GROUP_NUMBERS, dataLength: data.byteLength, dataCrc: crc32(data)
      }, { frames: frames >>> 0, blocks: blocks >>> 0, table }, [])
      await writeFile(
        join(directory, 'packs', `${ID}.car.zst`), Buffer.concat([encodePackHeader(ID), header, data])
      )
      await checkHarmless(directory, block)
    }), { numRuns: 60 })
  })

  it('do not decompress to more than a block may have', async ({ directory }) => {
    await mkdir(join(directory, 'packs'), { recursive: true })
    const [block] = texts(1)
    const data = zstdCompressSync(Buffer.alloc(300_000_000))
    const table = Buffer.alloc(22 + block.cid.bytes.byteLength)
    const rows = [data.byteLength, 300_000_000, 0, 290_000_000, 100]
    rows.forEach((value, i) => table.writeUInt32LE(value, i * 4))
    table.writeUInt16LE(block.cid.bytes.byteLength, 20)
    table.set(block.cid.bytes, 22)
    const header = encodeGroupHeader(ID, {
      ...GROUP_NUMBERS, dataLength: data.byteLength, dataCrc: crc32(data)
    }, { frames: 1, blocks: 1, table }, [])
    await writeFile(join(directory, 'packs', `${ID}.car.zst`), Buffer.concat([encodePackHeader(ID), header, data]))
    const store = new PackedBlockstore(directory)
    await store.open()
    expect(await store.has(block.cid)).toBe(true)
    expect(await nameOf(Array.fromAsync(store.get(block.cid)))).toBe('GetFailedError')
    await store.close()
  })

  it('that are blocks of a pack do not add to it', async ({ directory, open }) => {
    const inner = await open()
    await putAll(inner, texts(3, 'inner'))
    await inner.close()
    const [name] = await readdir(join(directory, 'packs'))
    const pack = blockOf(await readFile(join(directory, 'packs', name)))
    await rm(join(directory, 'packs', name))
    await rm(join(directory, 'index'), { recursive: true })
    const store = await open()
    await putAll(store, [pack])
    await store.close()
    await rm(join(directory, 'index'), { recursive: true })
    const again = await open()
    expect(await present(again, [pack, ...texts(3, 'inner')])).toEqual([0])
  })
})

describe('hostile index files', () => {
  it('harm nothing, whatever is written over them', async ({ directory, open }) => {
    const blocks = texts(400)
    const store = await open()
    await putAll(store, blocks)
    await store.close()
    const [name] = await readdir(join(directory, 'index'))
    const good = await readFile(join(directory, 'index', name))

    const position = fc.nat(good.byteLength - 1)

    await fc.assert(fc.asyncProperty(position, fc.uint8Array({ maxLength: 8 }), async (at, bytes) => {
      const bad = Buffer.from(good)
      bad.set(bytes.subarray(0, bad.byteLength - at), at)
      await writeFile(join(directory, 'index', name), bad)
      const store = new PackedBlockstore(directory)
      await store.open()
      expect(await present(store, blocks.slice(0, 20))).toHaveLength(20)
      await store.close()
    }), { numRuns: 25 })
  })
})

async function checkHarmless (directory: string, block: ReturnType<typeof blockOf>): Promise<void> {
  const store = new PackedBlockstore(directory)
  await store.open()
  expect(NAMES).toContain(await nameOf(Array.fromAsync(store.get(block.cid))))
  await Array.fromAsync(store.getAll({ order: 'packs' }))
  await Array.fromAsync(store.verify())
  await store.stats()
  await store.close()
  await rm(join(directory, 'index'), { recursive: true, force: true })
}
