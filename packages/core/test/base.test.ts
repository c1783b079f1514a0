/** @module-tag long */
import { unixfs } from '@helia/unixfs'
import { zstd } from '@ipfsz/codecs/zstd'
import { decode } from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { MemoryDatastore } from 'datastore-core'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, unmark } from '../src/index.ts'
import { chunked, collect, CountingBlockstore, getBlock, noise, putNode, random, text } from './fixtures.ts'
import type { CompressionOptions } from '../src/index.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Bytes that do not shrink, so that all that is saved comes from the base. */
const FIRST = noise(3 * MIB + 12_345)

/** The next version: some bytes are inserted, some removed, some changed. */
const SECOND = Buffer.concat([
  FIRST.subarray(0, 500_000),
  text(3000),
  FIRST.subarray(500_000, 1_200_000),
  FIRST.subarray(1_250_000, 3_000_000),
  noise(500, 7),
  FIRST.subarray(3_000_500)
])

interface Added {
  blockstore: CountingBlockstore
  fs: ReturnType<typeof ipfsz>
  base: CID
  cid: CID
}

async function addBoth (
  { first = FIRST as Uint8Array, second = SECOND as Uint8Array, ...compression }:
  CompressionOptions & { first?: Uint8Array, second?: Uint8Array } = {}
): Promise<Added> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore })
  const base = await fs.addBytes(first, { compression: { codec: 'zstd' } })
  const cid = await fs.addBytes(second, { compression: { detect: false, base, ...compression } })

  return { blockstore, fs, base, cid }
}

/** The two versions, added once, for tests that change nothing. */
const both = addBoth()

/** Bytes of all blocks below a root that are not below another one. */
async function bytesAdded (cid: CID, base: CID, blockstore: CountingBlockstore): Promise<number> {
  const known = await blocksOf(base, blockstore)
  const found = await blocksOf(cid, blockstore)

  return [...found].filter(([key]) => !known.has(key)).reduce((total, [, size]) => total + size, 0)
}

async function blocksOf (
  cid: CID,
  blockstore: CountingBlockstore,
  found = new Map<string, number>()
): Promise<Map<string, number>> {
  const plain = unmark(cid)
  const block = await getBlock(plain, blockstore)
  found.set(plain.toString(), block.byteLength)

  for (const { Hash } of plain.code === 0x70 ? decode(block).Links : []) {
    await blocksOf(Hash, blockstore, found)
  }

  return found
}

/** Words in an order of their own for each seed. */
function words (size: number, seed = 1): Uint8Array {
  return Buffer.from(Array.from(noise(size, seed), byte => `word${byte & 63}`).join(' ')).subarray(0, size)
}

/** Numbers, each of them once. */
function numbers (size: number): Uint8Array {
  return Buffer.from(Array.from({ length: size / 4 }, (_, i) => i * 7919).join(' ')).subarray(0, size)
}

function flipped (bytes: Uint8Array, next: () => number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[(next() >>> 0) % changed.byteLength] ^= 1 << (next() & 7)

  return changed
}

describe('a file with a base', () => {
  it('reads back, and takes little more than what changed', async () => {
    const { fs, blockstore, base, cid } = await both

    expect(Buffer.from(await collect(fs.cat(cid))).equals(SECOND)).toBe(true)
    expect(await bytesAdded(cid, base, blockstore)).toBeLessThan(3000)
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: BigInt(SECOND.byteLength), files: 1 })
  })

  it('links to its base from its root, as the last part of an ordinary UnixFS file', async () => {
    const { fs, blockstore, base, cid } = await both
    const root = decode(await getBlock(unmark(cid), blockstore))
    const { blockSizes } = UnixFS.unmarshal(root.Data ?? new Uint8Array(0))
    const plain = await collect(unixfs({ blockstore } as never).cat(unmark(cid)))
    const storedBase = await collect(unixfs({ blockstore } as never).cat(unmark(base)))

    expect(root.Links.at(-1)?.Hash.toString()).toBe(unmark(base).toString())
    expect(Number(blockSizes.at(-1))).toBe(storedBase.byteLength)
    expect(Buffer.from(plain.subarray(-storedBase.byteLength)).equals(storedBase)).toBe(true)
    // the head of a skippable frame, which zstd skips
    const head = Buffer.from(plain.subarray(-storedBase.byteLength - 8, -storedBase.byteLength))
    expect([head.readUInt32LE(0), head.readUInt32LE(4)]).toEqual([0x184d2a5e, storedBase.byteLength])
    await expect(fs.stat(cid)).resolves.toMatchObject({ size: BigInt(SECOND.byteLength), base: unmark(base) })
  })

  it.each([
    [0, 1], [0, 70_000], [499_990, 3020], [1_048_575, 2], [1_190_000, 1_500_000], [SECOND.byteLength - 1, 1]
  ])('reads %d bytes on, %d bytes', async (offset, length) => {
    const { fs, cid } = await both
    const bytes = await collect(fs.cat(cid, { offset, length }))

    expect(Buffer.from(bytes).equals(SECOND.subarray(offset, offset + length))).toBe(true)
  })

  it.each([0, 1_100_000, SECOND.byteLength - 1000])(
    'reads 1000 bytes from %d on with the blocks of one frame and of its region',
    async offset => {
      const { blockstore, base, cid } = await both
      const ofBase = await blocksOf(base, blockstore)
      const ofFile = await blocksOf(cid, blockstore)
      blockstore.gets.length = 0
      await collect(ipfsz({ blockstore }).cat(cid, { offset, length: 1000 }))
      const fetched = [...new Set(blockstore.gets)]

      expect(ofBase.size).toBe(5)
      // the roots, the leaf with the frames, and at most 3 MiB of the base for a region of at most 1.5 MiB
      expect(fetched.filter(key => ofBase.has(key)).length).toBeLessThanOrEqual(4)
      expect(fetched.filter(key => ofFile.has(key) && !ofBase.has(key))).toHaveLength(2)
      expect(fetched.every(key => ofFile.has(key))).toBe(true)
    }
  )

  it('reads back whatever was edited, in any range', async () => {
    const first = Buffer.concat([text(200_000), noise(300_000), text(150_000)])
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const bases = [
      await fs.addBytes(first, { compression: { frameSize: 64 * KIB } }),
      await fs.addBytes(first, { compression: { codec: 'none' } }),
      await fs.addBytes(first, { compression: { cut: 'content' } })
    ]

    await fc.assert(fc.asyncProperty(
      fc.constantFrom(...bases),
      fc.constantFrom<CompressionOptions>({ frameSize: 64 * KIB }, { optimize: 'ranges' }, {}),
      fc.array(fc.record({ at: fc.nat(), removed: fc.nat(100 * KIB), added: fc.nat(20 * KIB) }), { maxLength: 4 }),
      fc.nat(),
      fc.nat(200_000),
      async (base, options, edits, start, length) => {
        let second = first

        for (const { at, removed, added } of edits) {
          const place = at % (second.byteLength + 1)
          second = Buffer.concat([second.subarray(0, place), noise(added, at), second.subarray(place + removed)])
        }

        const cid = await fs.addBytes(second, { compression: { base, ...options } })
        const offset = start % (second.byteLength + 1)

        expect(Buffer.from(await collect(fs.cat(cid))).equals(second)).toBe(true)
        expect(Buffer.from(await collect(fs.cat(cid, { offset, length }))).equals(
          second.subarray(offset, offset + length)
        )).toBe(true)
      }
    ), { numRuns: 15 })
  })

  it('has a base that is not compressed, and one of a single raw block', async () => {
    for (const first of [FIRST, FIRST.subarray(0, 100_000)]) {
      const blockstore = new MemoryBlockstore()
      const fs = ipfsz({ blockstore })
      const base = await fs.addBytes(first, { compression: { codec: 'none' } })
      const second = Buffer.concat([text(100), first])
      const cid = await fs.addBytes(second, { compression: { base } })

      expect((await fs.stat(cid)).base?.toString()).toBe(base.toString())
      expect(Buffer.from(await collect(fs.cat(cid))).equals(second)).toBe(true)
    }
  })

  it('takes the base of its base, so that reading never needs more than two files', async () => {
    const { fs, base, cid } = await both
    const third = Buffer.concat([SECOND, text(50)])
    const next = await fs.addBytes(third, { compression: { base: cid } })

    expect((await fs.stat(next)).base?.toString()).toBe(unmark(base).toString())
    expect(Buffer.from(await collect(fs.cat(next))).equals(third)).toBe(true)
  })

  it('refuses a base that has a base, which it names, if asked to', async () => {
    const { fs, base, cid } = await both
    const third = Buffer.concat([SECOND, text(50)])
    const [first, second] = [unmark(base), unmark(cid)]

    await expect(fs.addBytes(third, { compression: { base: cid, baseOfBase: 'refuse' } }))
      .rejects.toMatchObject({ name: 'InvalidBaseError', base: second, baseOfBase: first })
    const next = await fs.addBytes(third, { compression: { base, baseOfBase: 'refuse' } })
    expect((await fs.stat(next)).base?.toString()).toBe(first.toString())
    await expect(fs.addBytes(third, { compression: { base, baseOfBase: 'keep' as 'refuse' } }))
      .rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it.each([['a leaf', 400 * KIB], ['several leaves', 3 * MIB]])(
    'is refused if its base, stored in %s, cannot be decompressed, although no block of it is damaged',
    async (_, size) => {
      const blockstore = new MemoryBlockstore()
      const fs = ipfsz({ blockstore })
      const bytes = noise(size).map(byte => byte & 15)
      const { Data, Links } = decode(await getBlock(unmark(await fs.addBytes(bytes)), blockstore))
      const [first, ...rest] = Links
      const leaf = Buffer.from(await getBlock(first.Hash, blockstore))
      // a type of block that does not exist (RFC 8878, section 3.1.1.2.2)
      leaf[9] |= 6
      const lying = { ...first, Hash: CID.createV1(raw.code, await sha256.digest(leaf)) }
      await blockstore.put(lying.Hash, leaf)
      const base = await putNode({ Data, Links: [lying, ...rest] }, blockstore)

      // with its base, and without: it resembles nothing, does not shrink, is small, or empty
      for (const content of [Buffer.concat([bytes, text(20)]), text(MIB), noise(MIB), text(10), text(0)]) {
        await expect(fs.addBytes(content, { compression: { base } }), `${content.byteLength} bytes`)
          .rejects.toMatchObject({ name: 'InvalidBaseError', base, cause: { name: 'CorruptFrameError' } })
      }
    }
  )

  it('never has a region that begins like a formatted dictionary', async () => {
    const magic = [0x37, 0xa4, 0x30, 0xec]
    const first = noise(3 * MIB)

    // at the beginning, and at many places where a region may begin
    for (let i = 0; i < first.byteLength - 40; i += 4) {
      first.set(i % 128 === 0 ? magic : [], i)
    }

    for (const [from, to] of [[0, 200_000], [500_000, 1_500_000], [1_000_008, first.byteLength]]) {
      const second = Buffer.from(first.subarray(from, to))
      const { fs, cid } = await addBoth({ first, second })

      expect((await fs.stat(cid)).base).toBeDefined()
      expect(Buffer.from(await collect(fs.cat(cid))).equals(second)).toBe(true)
    }
  })

  it('has all of its base as the dictionary of its only frame, as clients of HTTP have it', async () => {
    // in browsers, lower levels look no further back than 512 KiB (docs/codecs.md)
    const { fs, base, cid } = await addBoth({ level: 9, frameSize: MIB, basedFrameSize: 8 * MIB })
    const { based, stats } = await fs.open(cid)

    expect(based?.frameLengths).toHaveLength(1)
    expect(based?.regions).toEqual([{ offset: 0, length: FIRST.byteLength }])
    expect(based?.base.equals(unmark(base))).toBe(true)
    expect(Number(stats.storedSize)).toBeLessThan(10_000)
    expect(Buffer.from(await collect(fs.cat(cid))).equals(SECOND)).toBe(true)

    // a file without a base keeps its frames
    const alone = await fs.addBytes(text(2 * MIB), { compression: { frameSize: MIB, basedFrameSize: 8 * MIB } })
    expect((await fs.open(alone)).stored?.frameLengths).toHaveLength(2)
  })

  it('is its base if nothing changed', async () => {
    const { base, cid } = await addBoth({ second: FIRST })

    // FIRST does not shrink and so is stored plain: then its frames refer back to it
    expect(cid.equals(base)).toBe(false)

    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const first = await fs.addBytes(text(3 * MIB))

    await expect(fs.addBytes(text(3 * MIB), { compression: { base: first } })).resolves.toEqual(first)
  })

  it('of a single frame is its base if nothing changed, and has one leaf', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const bytes = text(100 * KIB)
    const next = Buffer.concat([bytes, text(10)])
    const first = await fs.addBytes(bytes)
    blockstore.puts.length = 0

    await expect(fs.addBytes(bytes, { compression: { base: first } })).resolves.toEqual(first)
    expect(blockstore.puts).toEqual([])
    // with metadata it is another file
    const touched = await fs.addBytes(bytes, { compression: { base: first }, mode: 0o600 })
    expect((await fs.stat(touched)).base?.toString()).toBe(unmark(first).toString())

    // leaves of another size take the same steps as large files
    for (const leafSize of [undefined, 1]) {
      const cid = await fs.addBytes(next, { compression: { base: first, leafSize } })
      const { Links } = decode(await getBlock(unmark(cid), blockstore))

      expect(Links).toHaveLength(leafSize == null ? 2 : 3)
      expect(Buffer.from(await collect(fs.cat(cid))).equals(next)).toBe(true)
      await expect(fs.verify(cid)).resolves.toMatchObject({ files: 1 })
    }
  })

  it.each([
    ['its root', 100 * KIB],
    ['a leaf', 400 * KIB]
  ])('has a small base, stored in %s, that is read once for several files', async (_, size) => {
    const blockstore = new CountingBlockstore()
    const bytes = noise(size).map(byte => byte & 15)
    const base = await ipfsz({ blockstore }).addBytes(bytes)
    const ofBase = await blocksOf(base, blockstore)
    const fs = ipfsz({ blockstore })
    const first = await fs.addBytes(Buffer.concat([bytes, text(20)]), { compression: { base } })
    expect(blockstore.gets.filter(key => ofBase.has(key))).toHaveLength(2 * ofBase.size)
    blockstore.gets.length = 0
    // the base of its base takes its place
    const second = await fs.addBytes(Buffer.concat([bytes, text(40)]), { compression: { base: first } })

    expect((await fs.stat(second)).base?.toString()).toBe(unmark(base).toString())
    expect(Buffer.from(await collect(fs.cat(second))).equals(Buffer.concat([bytes, text(40)]))).toBe(true)
    // the leaf of the second file
    expect(blockstore.gets).toHaveLength(1)
    expect(ofBase.has(blockstore.gets[0])).toBe(false)
  })

  it.each([
    ['in its root', 100 * KIB, {}],
    ['in leaves', 1100 * KIB, { codec: 'none' }],
    ['in a leaf', 400 * KIB, {}]
  ] as const)('is refused if its base, stored %s, was deleted after it was read', async (_, size, compression) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const bytes = noise(size).map(byte => byte & 15)
    const base = await fs.addBytes(bytes, { compression })
    await fs.addBytes(Buffer.concat([bytes, text(20)]), { compression: { base } })

    for (const key of (await blocksOf(base, blockstore)).keys()) {
      const block = await getBlock(CID.parse(key), blockstore)
      await blockstore.delete(CID.parse(key))

      await expect(fs.addBytes(Buffer.concat([bytes, text(30)]), { compression: { base } }))
        .rejects.toMatchObject({ name: 'NotFoundError' })
      await blockstore.put(CID.parse(key), block)
    }
  })

  it.each([
    ['of up to a frame', 200 * KIB, {}],
    ['of several frames', 600 * KIB, {}],
    ['of a single large frame', 600 * KIB, { frameSize: MIB }]
  ])('%s has level 7 unless it is told another', async (_, size, options) => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const bytes = numbers(size)
    const base = await fs.addBytes(bytes)
    // more than an eighth of each frame is new: of others, only what changed is compressed
    const next = Buffer.concat([words(80 * KIB, 5), bytes.subarray(0, size - 160 * KIB), words(80 * KIB, 6)])
    const add = async (level?: number): Promise<CID> =>
      fs.addBytes(next, { compression: { codec: 'zstd', base, ...options, ...level == null ? {} : { level } } })
    const [cid, named, other] = [await add(), await add(7), await add(3)]

    expect((await fs.stat(cid)).base?.toString()).toBe(unmark(base).toString())
    expect(cid.toString()).toBe(named.toString())
    expect(cid.toString()).not.toBe(other.toString())
  })

  it.each([200, 600, 1500])('takes little, although each of its few words is everywhere in %i KiB', async size => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const first = words(size * KIB)
    const edited = [80_500, 151_000, size * KIB - 20_000].map((end, i, ends) =>
      [words(300, i + 2), first.subarray(i === 0 ? 0 : ends[i - 1], end - 500)])
    const second = Buffer.concat(edited.flat())
    const base = await fs.addBytes(first)
    const cid = await fs.addBytes(second, { compression: { base } })

    expect(Buffer.from(await collect(fs.cat(cid))).equals(second)).toBe(true)
    expect(await bytesAdded(cid, base, blockstore)).toBeLessThan(2500)
    // a level that is asked for stays
    const named = await fs.addBytes(second, { compression: { codec: 'zstd', base, level: 7 } })
    expect(await bytesAdded(named, base, blockstore)).toBeGreaterThan(10_000)
  })

  it('has no base where that does not help', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const base = await fs.addBytes(noise(MIB))
    const alone = await fs.addBytes(text(5 * MIB))

    await expect(fs.addBytes(text(5 * MIB), { compression: { base } })).resolves.toEqual(alone)
    const empty = await fs.addBytes(new Uint8Array(0))
    await expect(fs.addBytes(text(5 * MIB), { compression: { base: empty } })).resolves.toEqual(alone)
  })

  it.each([
    ['a base that is found in parts', FIRST.subarray(0, MIB)],
    // any piece may refer to all of it, the first one too
    ['a small base', FIRST.subarray(0, 200 * KIB)]
  ])('has its base although something was inserted before all of it that does not shrink: %s', async (_, first) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const inserted = noise(300 * KIB, 8)
    const second = Buffer.concat([inserted, first])
    const base = await fs.addBytes(first, { compression: { codec: 'none' } })
    const cid = await fs.addBytes(second, { compression: { base } })

    expect(Buffer.from(await collect(fs.cat(cid))).equals(second)).toBe(true)
    expect(await bytesAdded(cid, base, blockstore)).toBeLessThan(inserted.byteLength + 10 * KIB)
  })

  it.each<CompressionOptions>([
    { frameSize: 64 * KIB },
    { frameSize: MIB },
    { optimize: 'ranges' }
  ])('has its base although many frames were inserted before all of it: %o', async options => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const base = await fs.addBytes(FIRST.subarray(0, MIB))
    const add = async (inserted: Uint8Array): Promise<CID> =>
      fs.addBytes(Buffer.concat([inserted, FIRST.subarray(0, MIB)]), { compression: { ...options, base } })

    expect((await fs.stat(await add(text(3 * MIB)))).base?.toString()).toBe(unmark(base).toString())
    // without it, only what is read of files without one decides
    const alone = await fs.addBytes(text(5 * MIB), { compression: options })
    await expect(fs.addBytes(text(5 * MIB), { compression: { ...options, base } })).resolves.toEqual(alone)
  })

  it('has a base by its path in an import', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const base = await fs.addBytes(FIRST)
    const compression: CompressionOptions = { base: path => path === 'a/new' ? base : undefined }
    const files = [{ path: 'a/new', content: SECOND }, { path: 'a/other', content: text(5000) }]
    let root: CID | undefined

    for await (const { cid } of fs.addAll(files, { compression })) {
      root = cid
    }

    const stats = await fs.stat(root as CID, { path: 'new' })
    expect(stats.base?.toString()).toBe(unmark(base).toString())
    expect((await fs.stat(root as CID, { path: 'other' })).base).toBeUndefined()
    expect(Buffer.from(await collect(fs.cat(root as CID, { path: 'new' }))).equals(SECOND)).toBe(true)
  })

  it('keeps no room of the budget that the files of an import share', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore }, { inFlightBytes: 4 * MIB })
    const base = await fs.addBytes(Buffer.concat([FIRST, FIRST]))
    // more than what is read before it is decided whether the base helps
    const next = Buffer.concat([SECOND, SECOND])
    const files = Array.from({ length: 3 }, (_, i) => ({ path: `a/${i}`, content: chunked(next, 100_000) }))
    const added: CID[] = []

    for await (const { cid } of fs.addAll(files, { compression: { base: () => base } })) {
      added.push(cid)
    }

    // the files, and the directory: pieces that need no codec are given back too
    expect(added).toHaveLength(4)
    expect(Buffer.from(await collect(fs.cat(added[0]))).equals(next)).toBe(true)
  })

  it('says which base is missing', async () => {
    const { blockstore, base, cid } = await addBoth()
    await blockstore.delete(unmark(base))
    const fs = ipfsz({ blockstore })

    await expect(collect(fs.cat(cid))).rejects.toMatchObject({
      name: 'UnreadableBaseError',
      base: unmark(base),
      cause: { name: 'NotFoundError' }
    })
    await expect(fs.verify(cid)).rejects.toMatchObject({ name: 'UnreadableBaseError', base: unmark(base) })
  })

  it('names the base that it was not made with, whose blocks are as they were written', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const first = noise(100_000)
    const [base, other] = await Promise.all([first, noise(100_000, 2)].map(async bytes =>
      unmark(await fs.addBytes(bytes, { compression: { codec: 'none' } }))))
    const right = await fs.addBytes(Buffer.concat([text(99), first]), { compression: { base } })
    const { Data, Links } = decode(await getBlock(unmark(right), blockstore))
    const links = Links.map(link => link.Hash.equals(base) ? { ...link, Hash: other } : link)
    const cid = mark(await putNode({ Data, Links: links }, blockstore), 'zstd')
    const refused = { name: 'WrongBaseError', cid: unmark(cid), base: other, cause: { name: 'CorruptFrameError' } }

    expect(Links.at(-1)?.Hash.equals(base)).toBe(true)
    await expect(collect(fs.cat(cid))).rejects.toMatchObject(refused)
    await expect(fs.verify(cid)).rejects.toMatchObject(refused)
  })

  it('is read as it was, or refused by name, whatever changes in its blocks and in those of its base', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const first = noise(200 * KIB).map(byte => byte & 15)
    const second = Buffer.concat([text(3000), first, noise(3000, 9)])
    const base = await fs.addBytes(first)
    const cid = await fs.addBytes(second, { compression: { base, frameSize: 64 * KIB } })
    const next = random(24)
    const outcomes = new Set<string>()

    // each change is followed by the right hashes: an author may write anything
    const change = async (of: CID): Promise<CID> => {
      const bytes = await getBlock(of, blockstore)

      if (of.code === raw.code) {
        const leaf = flipped(bytes, next)
        const changed = CID.createV1(raw.code, await sha256.digest(leaf))
        await blockstore.put(changed, leaf)
        return changed
      }

      const { Data = new Uint8Array(0), Links } = decode(bytes)
      const target = (next() >>> 0) % (Links.length + 1)

      return putNode(target === Links.length
        ? { Data: flipped(Data, next), Links }
        : { Data, Links: await Promise.all(Links.map(async (link, i) =>
            i === target ? { ...link, Hash: await change(link.Hash) } : link)) }, blockstore)
    }

    for (let round = 0; round < 300; round++) {
      const hostile = mark(await change(unmark(cid)), 'zstd')
      const outcome = await collect(ipfsz({ blockstore }).cat(hostile)).then(
        bytes => Buffer.from(bytes).equals(second) ? 'read' : 'other bytes',
        (err: Error) => err.name
      )
      outcomes.add(outcome)
    }

    expect([...outcomes].toSorted()).toEqual([
      // of a frame without a region
      'CorruptFrameError',
      'InvalidHeaderError',
      'NotUnixFSError',
      'UnreadableBaseError',
      'WrongBaseError',
      // the change is in what reading does not need
      'read'
    ])
  })

  it.each([['changed', SECOND], ['did not change', FIRST]])(
    'is refused if the base lacks a block that its content does not need, and the file %s',
    async (_, second) => {
      const blockstore = new MemoryBlockstore()
      const fs = ipfsz({ blockstore })
      // each part is a leaf, and so is the seek table
      const base = await fs.addBytes(FIRST, { compression: { codec: 'zstd', detect: false, cut: 'content' } })
      await blockstore.delete(decode(await getBlock(unmark(base), blockstore)).Links.at(-1)?.Hash as CID)

      expect(Buffer.compare(await collect(fs.cat(base)), FIRST)).toBe(0)
      await expect(fs.addBytes(second, { compression: { base } })).rejects.toMatchObject({ name: 'NotFoundError' })
    }
  )

  it.each([['changed', Buffer.concat([text(99_000), noise(99)])], ['did not change', text(100_000)]])(
    'is refused if the base names another content CID than it has, and the file %s',
    async (_, second) => {
      const blockstore = new MemoryBlockstore()
      const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
      const linked = await fs.addBytes(text(100_000), { link: true })
      const { contentCid } = await fs.verify(linked)
      const { Data = new Uint8Array(0), Links } = decode(await getBlock(unmark(linked), blockstore))
      const wrong = Buffer.from(Data)
      wrong[wrong.indexOf(Buffer.from(contentCid?.multihash.digest ?? ''))] ^= 1
      const base = await putNode({ Data: wrong, Links }, blockstore)

      await expect(fs.addBytes(second, { compression: { base } }))
        .rejects.toMatchObject({ name: 'ContentMismatchError', cid: base, actual: contentCid })
      const cid = await fs.addBytes(second, { compression: { base: linked } })
      expect(cid.equals(linked)).toBe(second.byteLength === 100_000)
      await expect(fs.verify(cid)).resolves.toMatchObject({ files: 1 })
    }
  )

  it('is refused if the base is a directory', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const base = await fs.addDirectory()

    await expect(fs.addBytes(text(100_000), { compression: { base } }))
      .rejects.toMatchObject({ name: 'InvalidBaseError', base })
  })

  it('is refused for codecs that cannot use one', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const base = await fs.addBytes(text(100_000))

    await expect(fs.addBytes(text(100_000), { compression: { base, codec: 'lz4' } }))
      .rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('is not handed out as it is stored, since its frames need the base', async () => {
    const { fs, cid } = await both

    expect((await fs.open(cid)).stored).toBeUndefined()
  })

  it('is handed out for those who have the base, with what of that each frame refers to', async () => {
    const { fs, base, cid } = await both
    const { based } = await fs.open(cid)

    expect(based?.base).toEqual(unmark(base))
    expect(based?.regions).toHaveLength(based?.frameLengths.length ?? 0)
    expect(Buffer.concat(await Array.fromAsync(based?.frames() ?? []))).toHaveLength(based?.length ?? 0)
    // a file without a base, the stored bytes of one that has one, and a handle that is closed
    expect((await fs.open(base)).based).toBeUndefined()
    expect((await fs.open(unmark(cid))).based).toBeUndefined()
    const closed = await fs.open(cid)
    closed.close()
    expect(() => closed.based).toThrow(/closed/)
  })

  it('keeps its base when its mode changes', async () => {
    const { fs, base, cid } = await both
    const changed = await fs.chmod(cid, 0o600)

    expect((await fs.stat(changed)).base?.toString()).toBe(unmark(base).toString())
    expect(Buffer.from(await collect(fs.cat(changed))).equals(SECOND)).toBe(true)
  })

  it('uses the codec that reads it everywhere', async () => {
    const { blockstore, cid } = await both

    for (const implementation of ['wasm', 'js'] as const) {
      const reader = ipfsz({ blockstore }, { codecs: [zstd({ implementation })] })
      expect(Buffer.from(await collect(reader.cat(cid))).equals(SECOND)).toBe(true)
    }

    expect(mark(unmark(cid), 'zstd').equals(cid)).toBe(true)
  })
})
