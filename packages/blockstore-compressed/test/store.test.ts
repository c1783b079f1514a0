import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CODES } from '@ipfsz/codecs'
import { codecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { LevelBlockstore } from 'blockstore-level'
import { CID } from 'multiformats/cid'
import { Uint8ArrayList } from 'uint8arraylist'
import { afterEach, describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { MAX_AHEAD } from '../src/constants.ts'
import { CompressedBlockstore, convert, stats } from '../src/index.ts'
import { cidOf, only, readBlock, stream } from './fixtures.ts'
import type { CompressedBlockstoreInit, Verify } from '../src/index.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'

const NAMES = Object.keys(codecs) as CodecName[]
const directories: string[] = []

const VERIFY: readonly Verify[] = ['hash', 'length', 'none']

/** Stores, and how each is opened. What codec and check do with a block does not depend on where it is stored. */
const INNER_STORES = [
  {
    name: 'MemoryBlockstore',
    create: async (): Promise<Blockstore> => new MemoryBlockstore(),
    settings: NAMES.flatMap(codec => VERIFY.map(verify => ({ codec, verify })))
  },
  {
    name: 'FsBlockstore',
    create: async (): Promise<Blockstore> => new FsBlockstore(await makeDirectory()),
    settings: VERIFY.map(verify => ({ codec: 'zstd' as CodecName, verify }))
  },
  {
    name: 'LevelBlockstore',
    create: async (): Promise<Blockstore> => new LevelBlockstore(await makeDirectory()),
    settings: VERIFY.map(verify => ({ codec: 'zstd' as CodecName, verify }))
  }
]

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-compressed-'))
  directories.push(directory)

  return directory
}

afterEach(async () => {
  await Promise.all(directories.splice(0).map(async directory => rm(directory, { recursive: true })))
})

/** Compressible and incompressible blocks, an empty one, and some that span several chunks of a file. */
async function makeBlocks (): Promise<Map<string, Uint8Array>> {
  const blocks = [
    text(200),
    text(4000),
    text(300_000, 2),
    noise(200_000),
    noise(40),
    new Uint8Array(0),
    new Uint8Array(70_000)
  ]

  return new Map(await Promise.all(blocks.map(async bytes => [(await cidOf(bytes)).toString(), bytes] as const)))
}

function pairs (blocks: ReadonlyMap<string, Uint8Array>): Array<{ cid: CID, bytes: Uint8Array }> {
  return Array.from(blocks, ([cid, bytes]) => ({ cid: CID.parse(cid), bytes }))
}

describe.each(INNER_STORES)('a CompressedBlockstore on $name', ({ create, settings }) => {
  it.each(settings)('returns through every method what was put, with $codec and verify $verify', async settings => {
    const { codec, verify } = settings
    const blocks = await makeBlocks()
    const inner = await create()
    const store = new CompressedBlockstore(inner, { codec, verify })
    const [first, ...others] = pairs(blocks)
    await store.open()

    expect(await store.put(first.cid, stream(first.bytes, 64))).toBe(first.cid)
    expect((await Array.fromAsync(store.putMany(others))).map(String)).toEqual(others.map(({ cid }) => cid.toString()))

    for (const [cid, bytes] of blocks) {
      expect(await readBlock(store, CID.parse(cid))).toEqual(bytes)
    }

    const many = await Array.fromAsync(
      store.getMany(pairs(blocks).map(({ cid }) => cid)),
      async ({ cid, bytes }) => [cid.toString(), await only(bytes)] as const
    )
    expect(new Map(many)).toEqual(blocks)

    const all = await Array.fromAsync(
      store.getAll(),
      async ({ cid, bytes }) => [CID.createV1(0x55, cid.multihash).toString(), await only(bytes)] as const
    )
    expect(new Map(all)).toEqual(blocks)

    // another store with another codec around the same inner store reads it, too
    const other = new CompressedBlockstore(inner, { codec: 'none', verify })
    expect(await readBlock(other, CID.parse([...blocks.keys()][2]))).toEqual([...blocks.values()][2])

    expect(await Array.fromAsync(store.deleteMany(pairs(blocks).map(({ cid }) => cid)))).toHaveLength(blocks.size)
    expect(await store.has(first.cid)).toBe(false)
    await store.close()
  })
})

describe('getMany', () => {
  it('reads a few blocks ahead of its caller, and no more', async () => {
    const blocks = pairs(await makeBlocks()).slice(0, 1)
    const inner = new MemoryBlockstore()
    const cids = Array.from({ length: 40 }, () => blocks[0].cid)
    let reads = 0
    const second = Promise.withResolvers<void>()
    await new CompressedBlockstore(inner).put(blocks[0].cid, blocks[0].bytes)
    inner.getMany = async function * (source) {
      for await (const cid of source) {
        yield {
          cid,
          bytes: async function * () {
            if (++reads === 2) {
              second.resolve()
            }

            await second.promise
            yield * inner.get(cid)
          }()
        }
      }
    }

    let taken = 0

    for await (const { bytes } of new CompressedBlockstore(inner).getMany(cids)) {
      expect(await only(bytes)).toEqual(blocks[0].bytes)
      expect(reads).toBeLessThanOrEqual(++taken + MAX_AHEAD)
    }

    expect(reads).toBe(cids.length)
  })
})

describe('a stored value', () => {
  it.each(NAMES)('begins with the code of %s and the length of the block', async codec => {
    const bytes = text(3000)
    const cid = await cidOf(bytes)
    const inner = new MemoryBlockstore()

    await new CompressedBlockstore(inner, { codec }).put(cid, bytes)
    const stored = await readBlock(inner, cid)

    expect(Buffer.from(stored.subarray(0, 6)).toString('hex')).toBe(
      `${(0x80 | CODES[codec] & 0x7f).toString(16)}b4fd01b817`
    )
    expect(await codecs[codec]().decompress(stored.subarray(6), { size: 3000 })).toEqual(bytes)
  })

  it('is the plain block if compression saves less than 5 %, else an envelope', async () => {
    const sizes = await Promise.all([0.96, 0.94].map(async part => {
      const bytes = new Uint8Array(100_000)
      bytes.set(noise(Math.round(100_000 * part)))
      const cid = await cidOf(bytes)
      const inner = new MemoryBlockstore()
      await new CompressedBlockstore(inner).put(cid, bytes)

      return (await readBlock(inner, cid)).byteLength / bytes.byteLength
    }))

    expect(sizes[0]).toBe(1)
    expect(sizes[1]).toBeLessThan(0.95)
  })

  it('is the plain block below minSize', async () => {
    const bytes = text(1000)
    const cid = await cidOf(bytes)
    const inner = new MemoryBlockstore()

    await new CompressedBlockstore(inner, { minSize: 1001 }).put(cid, bytes)

    expect(await readBlock(inner, cid)).toEqual(bytes)
  })

  it('is the plain block above 16 MiB, the most that a frame may hold', async () => {
    const bytes = new Uint8Array(16 * 1024 * 1024 + 1)
    const cid = await cidOf(bytes)
    const inner = new MemoryBlockstore()
    const store = new CompressedBlockstore(inner, { maxBlockSize: 2 ** 25 })

    await store.put(cid, bytes)

    expect((await readBlock(inner, cid)).byteLength).toBe(bytes.byteLength)
    expect((await readBlock(store, cid)).byteLength).toBe(bytes.byteLength)
  })

  it('is read with any codec, even if one store has several', async () => {
    const inner = new MemoryBlockstore()
    const cids = await Promise.all(NAMES.map(async (codec, i) => {
      const bytes = text(5000, i + 1)
      const cid = await cidOf(bytes)
      await new CompressedBlockstore(inner, { codec }).put(cid, bytes)

      return cid
    }))
    const store = new CompressedBlockstore(inner)

    for (const [i, cid] of cids.entries()) {
      expect(await readBlock(store, cid)).toEqual(text(5000, i + 1))
    }
  })

  it('is read only if its codec is in `codecs`', async () => {
    const bytes = text(5000)
    const cid = await cidOf(bytes)
    const inner = new MemoryBlockstore()
    await new CompressedBlockstore(inner, { codec: 'brotli' }).put(cid, bytes)

    expect(await readBlock(new CompressedBlockstore(inner, { codecs: [codecs.zstd(), codecs.brotli()] }), cid))
      .toEqual(bytes)
    await expect(readBlock(new CompressedBlockstore(inner, { codecs: [codecs.zstd()] }), cid))
      .rejects.toMatchObject({ name: 'UnsupportedCodecError', cid, code: CODES.brotli })
  })
})

describe('a CompressedBlockstore', () => {
  it('reads plain blocks that were stored without it', async () => {
    const blocks = await makeBlocks()
    const inner = new MemoryBlockstore()
    await Array.fromAsync(inner.putMany(pairs(blocks)))

    for (const verify of ['hash', 'length', 'none'] as const) {
      const store = new CompressedBlockstore(inner, { verify })

      for (const { cid, bytes } of pairs(blocks)) {
        expect(await readBlock(store, cid)).toEqual(bytes)
      }
    }
  })

  it('reads the source of a put only once', async () => {
    const bytes = text(10_000)
    const cid = await cidOf(bytes)
    let reads = 0
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await store.put(cid, { [Symbol.asyncIterator]: () => (reads++, stream(bytes, 100)) })

    expect(reads).toBe(1)
    expect(await readBlock(store, cid)).toEqual(bytes)
  })

  it.each([
    ['an array of numbers', [1, 2, 3]],
    ['a string', 'abc'],
    ['an array of strings', ['abc']],
    ['an ArrayBuffer', new ArrayBuffer(3)],
    ['null', null],
    ['an array of undefined', [undefined]]
  ])('refuses %s instead of bytes, and stores nothing', async (_, bytes) => {
    const cid = await cidOf(new Uint8Array(0))
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await expect(store.put(cid, bytes as unknown as Uint8Array))
      .rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(Array.fromAsync(store.putMany([{ cid, bytes: bytes as unknown as Uint8Array }])))
      .rejects.toMatchObject({ name: 'InvalidParametersError' })
    expect(await store.has(cid)).toBe(false)
  })

  it('stores a source that reuses one buffer for all chunks', async () => {
    const bytes = text(10_000)
    const cid = await cidOf(bytes)
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await store.put(cid, (async function * () {
      const buffer = new Uint8Array(1000)

      for (let i = 0; i < bytes.byteLength; i += buffer.byteLength) {
        buffer.set(bytes.subarray(i, i + buffer.byteLength))
        yield buffer
      }
    })())

    expect(await readBlock(store, cid)).toEqual(bytes)
  })

  it('stores a source of thousands of chunks, many of them empty', async () => {
    const bytes = text(5000)
    const cid = await cidOf(bytes)
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await store.put(cid, (function * () {
      for (let i = 0; i < bytes.byteLength; i++) {
        yield bytes.subarray(i, i + 1)
        yield new Uint8Array(0)
      }
    })())

    expect(await readBlock(store, cid)).toEqual(bytes)
  })

  it('accepts a Uint8ArrayList as a block and as a chunk', async () => {
    const bytes = text(3000)
    const cid = await cidOf(bytes)
    const list = new Uint8ArrayList(bytes.subarray(0, 1000), bytes.subarray(1000))

    for (const source of [list, [list]] as Array<Iterable<Uint8Array>>) {
      const store = new CompressedBlockstore(new MemoryBlockstore())
      await store.put(cid, source)
      expect(await readBlock(store, cid)).toEqual(bytes)
    }
  })

  it('opens and closes its inner store if that has these methods', async () => {
    const calls: string[] = []
    const inner = Object.assign(new MemoryBlockstore(), {
      open: () => calls.push('open'),
      close: () => calls.push('close')
    })
    const store = new CompressedBlockstore(inner)

    await store.open()
    await store.close()
    await new CompressedBlockstore(new MemoryBlockstore()).open()

    expect(calls).toEqual(['open', 'close'])
    expect(store.unwrap()).toBe(inner)
  })

  it.each([
    ['an unknown codec', { codec: 'xz' as CodecName }, 'UnknownCodecError'],
    ['a level out of range', { level: 20 }, 'InvalidLevelError'],
    ['a level without a codec', { codec: 'none' as const, level: 1 }, 'InvalidParametersError'],
    ['an unknown verify', { verify: 'maybe' as Verify }, 'InvalidParametersError'],
    ['a minSize below 0', { minSize: -1 }, 'InvalidParametersError'],
    ['null as codecs', { codecs: null as unknown as [] }, 'InvalidParametersError'],
    ['codecs by name', { codecs: ['zstd'] as unknown as [] }, 'InvalidParametersError'],
    ['a number as hashers', { hashers: 5 as unknown as [] }, 'InvalidParametersError'],
    ['null as a hasher', { hashers: [null] as unknown as [] }, 'InvalidParametersError'],
    [
      'metrics without registerCounterGroup',
      { metrics: {} as unknown as CompressedBlockstoreInit['metrics'] },
      'InvalidParametersError'
    ],
    ['a maxBlockSize of NaN', { maxBlockSize: NaN }, 'InvalidParametersError']
  ])('refuses %s in its constructor', (_, init, name) => {
    expect(() => new CompressedBlockstore(new MemoryBlockstore(), init)).toThrow(expect.objectContaining({ name }))
  })

  it.each([[null], [{}], ['blocks'], [new Map()]])('refuses to wrap %o, which is not a blockstore', async inner => {
    const store = inner as unknown as Blockstore

    expect(() => new CompressedBlockstore(store)).toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
    await expect(convert(store)).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(stats(store)).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('refuses to wrap another CompressedBlockstore', () => {
    const store = new CompressedBlockstore(new MemoryBlockstore())

    expect(() => new CompressedBlockstore(store)).toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
  })
})
