/** @module-tag long */
import { unixfs } from '@helia/unixfs'
import { MemoryDatastore } from 'datastore-core'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, TREE_CODE, unmark } from '../src/index.ts'
import { DerivedBlockstore, ORIGINAL_LAYOUTS, Originals } from '../src/originals/index.ts'
import { fileId, originalKey } from '../src/originals/records.ts'
import { same } from '../../../test/support/data.ts'
import { collect, CountingBlockstore, noise, text } from './fixtures.ts'
import { countEntries } from './link-fixtures.ts'
import { allBlocks, imported, linked, makeShelf, missing } from './original-fixtures.ts'
import { writeLink } from './link-fixtures.ts'
import type { OriginalsDatastore } from '../src/originals/index.ts'
import type { Shelf } from './original-fixtures.ts'

const MIB = 1024 * 1024
const KIB = 1024

/** A datastore that keeps this many batches and puts, and fails all later ones, as if the process were killed. */
function mortal (datastore: MemoryDatastore, writes: number): OriginalsDatastore {
  let left = writes
  const dieOrWrite = (): void => {
    if (left-- <= 0) {
      throw new Error('killed')
    }
  }

  return {
    get: async (...args) => datastore.get(...args),
    query: (...args) => datastore.query(...args),
    put: async (...args) => { dieOrWrite(); return datastore.put(...args) },
    delete: async (...args) => { dieOrWrite(); return datastore.delete(...args) },
    batch: () => {
      const batch = datastore.batch()

      return { ...batch, commit: async options => { dieOrWrite(); return batch.commit(options) } }
    }
  }
}

describe('the original of a compressed file', () => {
  const sizes = [1, 256 * KIB, 256 * KIB + 1, MIB, MIB + 1]

  it.each(ORIGINAL_LAYOUTS)('has the blocks that an importer makes with the layout %s', async layout => {
    for (const size of sizes) {
      const { fs, originals, derived } = makeShelf({ layouts: [layout] })
      const bytes = text(size, size)
      const cid = await fs.addBytes(bytes, linked(64 * KIB))
      const found = await originals.add(cid)
      const { root, blocks } = await imported(bytes, layout)

      expect(found.find(original => original.layout === layout)?.original.toString()).toBe(root.toString())
      expect(await missing(blocks, derived)).toEqual([])
    }
  })

  it('is served from files of format version 2: with a base, rearranged, or cut by content', async () => {
    const first = noise(600_000)
    const waves = Int16Array.from({ length: 400_000 }, (_, i) => 9000 * Math.sin(i / 50) + i % 7)
    const samples = new Uint8Array(waves.buffer)

    for (const [bytes, compression] of [
      [Buffer.concat([text(500), first]), { base: true }],
      [samples, {}],
      [text(600_000), { cut: 'content' }]
    ] as const) {
      const { fs, originals, derived } = makeShelf({ layouts: ['unixfs-v1-2025'] })
      const base = 'base' in compression ? await fs.addBytes(first) : undefined
      const cid = await fs.addBytes(bytes, { link: true, compression: { ...compression, base } })
      const { blocks } = await imported(bytes, 'unixfs-v1-2025')
      await originals.add(cid)

      const stats = await fs.stat(cid)
      expect(stats.base ?? stats.filters ?? (await fs.open(cid)).stored?.frameSizes).toBeDefined()
      expect(await missing(blocks, derived)).toEqual([])
    }
  })

  it('has a second level of nodes', async () => {
    const { fs, originals, derived } = makeShelf({ layouts: ['unixfs-v0-2015'] })
    const bytes = new Uint8Array(175 * 256 * KIB)
    bytes.set(text(100_000), 20 * MIB)
    await originals.add(await fs.addBytes(bytes, linked()))

    expect(await missing((await imported(bytes, 'unixfs-v0-2015')).blocks, derived)).toEqual([])
  })

  it('is read by a stock reader from a store that holds only the compressed copy', async () => {
    const { fs, blockstore, originals, derived } = makeShelf()
    const bytes = text(5 * MIB)
    const plain = await unixfs({ blockstore: new CountingBlockstore() }).addBytes(bytes)
    await originals.add(await fs.addBytes(bytes, linked()))

    expect(await blockstore.has(plain)).toBe(false)
    expect(same(await collect(unixfs({ blockstore: derived }).cat(plain)), bytes)).toBe(true)
    expect(await fs.links.get(plain)).toBeDefined()
  })

  it('is found by its CID of either version, and lists its blocks', async () => {
    const { fs, originals, derived } = makeShelf({ layouts: ['unixfs-v0-2015'] })
    const bytes = text(MIB)
    const cid = await fs.addBytes(bytes, linked())
    await originals.add(cid)
    const { root, blocks } = await imported(bytes, 'unixfs-v0-2015')

    for (const asked of [root, root.toV1()]) {
      expect(await derived.original(asked)).toMatchObject({ compressed: cid, layout: 'unixfs-v0-2015', type: 'file' })
    }

    const original = await originals.get(root)
    const listed = await Array.fromAsync(original == null ? [] : originals.blocks(original))
    expect(listed.map(String).toSorted()).toEqual(blocks.map(({ cid }) => cid.toString()).toSorted())
    expect(original?.dagSize).toBe(blocks.reduce((size, { bytes }) => size + bytes.byteLength, 0))
  })

  it('adds links for more layouts, and the file still leads to the original that it was linked to', async () => {
    const { fs, originals } = makeShelf({ layouts: ['unixfs-v0-2015', 'kubo-cid-v1'] })
    const cid = await fs.addBytes(text(MIB), linked())
    const before = await fs.links.get(cid)
    const found = await originals.add(cid)

    expect(found).toHaveLength(3)
    expect(await fs.links.get(cid)).toEqual(before)

    for (const { original } of found) {
      expect(await fs.links.get(original)).toEqual(cid)
    }
  })

  it('is a raw CID, as it was linked', async () => {
    const { fs, originals, derived } = makeShelf()
    const bytes = noise(100)
    const { root } = await imported(bytes, 'kubo-cid-v1')
    const cid = await fs.addBytes(bytes, linked())
    await fs.links.delete(cid)
    await fs.links.add(root, cid)
    await originals.add(cid)

    expect(await missing([{ cid: root, bytes }], derived)).toEqual([])
  })

  it('is not decoded by has', async () => {
    const { fs, blockstore, originals, derived } = makeShelf()
    const bytes = text(3 * MIB)
    await originals.add(await fs.addBytes(bytes, linked()))
    const { blocks } = await imported(bytes, 'unixfs-v1-2025')
    blockstore.gets.length = 0

    for (const { cid } of blocks) {
      expect(await derived.has(cid)).toBe(true)
    }

    expect(blockstore.gets).toEqual([])
    expect(await derived.has(CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'))).toBe(false)
  })

  it('is indexed again without any change', async () => {
    const { fs, originals, blockstore, datastore } = makeShelf()
    const cid = await fs.addBytes(text(3 * MIB), linked())
    const first = await originals.add(cid)
    const entries = await Array.fromAsync(datastore.query({}))
    blockstore.gets.length = 0

    expect(await originals.add(cid)).toEqual(first)
    expect(await Array.fromAsync(datastore.query({}))).toEqual(entries)
    // nothing was decompressed
    expect(blockstore.gets).toEqual([])
  })

  it('has a key that never changes, whatever its layout', () => {
    const compressed = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
    const keys = ['raw', ...ORIGINAL_LAYOUTS].map(layout => originalKey(fileId(compressed, layout)).toString())

    expect(keys).toEqual([0, 1, 2, 3, 4, 5].map(number =>
      `/ipfsz/originals/root/lgkiioigl4uwdhxuckamxojsxzjmk3mz/${number}`))
  })

  it('takes few bytes for each leaf', async () => {
    const { fs, originals, datastore } = makeShelf({ layouts: ['kubo-cid-v1'] })
    // no two leaves are the same
    await originals.add(await fs.addBytes(noise(2 * MIB), linked()))
    const leaves = (await Array.fromAsync(datastore.query({ prefix: '/ipfsz/originals/block/' })))
      .filter(({ value }) => value[0] !== 0)

    expect(leaves).toHaveLength(8 + 2)
    expect(Math.max(...leaves.map(({ key, value }) => key.toString().length + value.byteLength))).toBeLessThan(110)
  })
})

describe('originals', () => {
  it('refuse a file that is not linked, a plain CID and an unknown layout', async () => {
    const { fs, originals, blockstore, links, datastore } = makeShelf()
    const cid = await fs.addBytes(text(MIB))

    await expect(originals.add(cid)).rejects.toMatchObject({ name: 'UnlinkedFileError', cid })
    await expect(originals.add(unmark(cid))).rejects.toMatchObject({ name: 'InvalidParametersError' })
    expect(() => new Originals({ blockstore, links, datastore }, { layouts: ['none'] }))
      .toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
  })

  it('refuse a link to other bytes, and index nothing', async () => {
    const { fs, originals, datastore, derived, links } = makeShelf()
    const cid = await fs.addBytes(text(MIB))
    const { root } = await imported(text(MIB, 2), 'unixfs-v1-2025')
    await writeLink(links, { original: root, compressed: cid, check: 'unchecked' })

    await expect(originals.add(cid)).rejects.toMatchObject({ name: 'LinkMismatchError', original: root })
    expect(await countEntries(datastore)).toBe(0)
    expect(await derived.has(root)).toBe(false)
  })

  it('end with their link, and leave nothing behind', async () => {
    const { fs, originals, datastore, derived } = makeShelf({ layouts: ['unixfs-v0-2015'] })
    const cid = await fs.addBytes(text(3 * MIB), linked())
    const [first, second] = await originals.add(cid)
    await fs.links.delete(first.original)

    expect(await originals.deleteUnlinked(cid)).toBe(1)
    expect(await derived.has(first.original)).toBe(false)
    expect(await derived.has(second.original)).toBe(true)
    await fs.links.delete(cid)
    expect(await originals.prune()).toBe(1)
    expect(await countEntries(datastore)).toBe(0)
  })

  it('end with their file', async () => {
    const { fs, originals, datastore } = makeShelf()
    const [kept, gone] = await Promise.all([1, 2].map(async seed => fs.addBytes(text(2 * MIB, seed), linked())))
    await originals.add(kept)
    const entries = await countEntries(datastore)
    await originals.add(gone)

    expect(await originals.prune({ has: cid => !cid.equals(unmark(gone)) })).toBe(1)
    expect(await countEntries(datastore)).toBe(entries)
    expect(await originals.prune()).toBe(0)
  })

  it('share leaves, and ending one keeps those of the other', async () => {
    const { fs, originals, derived } = makeShelf()
    const bytes = text(4 * MIB)
    const versions = await Promise.all([bytes.subarray(0, 3 * MIB), bytes].map(async bytes => ({
      cid: await fs.addBytes(bytes, linked()),
      ...await imported(bytes, 'unixfs-v1-2025')
    })))

    for (const { cid } of versions) {
      await originals.add(cid)
    }

    expect(await originals.delete(versions[0].root)).toBe(1)
    expect(await derived.has(versions[0].root)).toBe(false)
    expect(await missing(versions[1].blocks, derived)).toEqual([])
    expect(await originals.delete(versions[1].cid)).toBe(1)
    expect(await missing(versions[1].blocks, derived)).toHaveLength(5)
  })

  it('are there as a whole or not at all after a kill, and the next attempt completes or removes them', {
    tags: 'slow'
  }, async () => {
    const bytes = text(3 * MIB)
    const { blocks } = await imported(bytes, 'unixfs-v0-2015')
    const { blocks: linkedBlocks } = await imported(bytes, 'unixfs-v1-2025')
    let survived = false

    for (let writes = 0; !survived; writes++) {
      const shelf = makeShelf({ layouts: ['unixfs-v0-2015'] }, {}, datastore => mortal(datastore, writes))
      const { fs, blockstore, links, datastore, derived } = shelf
      const cid = await fs.addBytes(bytes, linked())
      survived = await shelf.originals.add(cid).then(() => true, () => false)

      for (const some of [blocks, linkedBlocks]) {
        expect([0, some.length]).toContain((await missing(some, derived)).length)
      }

      const again = new Originals({ blockstore, links, datastore }, { layouts: ['unixfs-v0-2015'] })

      if (writes % 2 === 0) {
        await again.add(cid)
        expect(await missing([...blocks, ...linkedBlocks], derived)).toEqual([])
        expect(await again.delete(cid)).toBe(2)
      } else {
        await again.prune({ has: () => false })
      }

      expect(await countEntries(datastore)).toBe(0)
    }
  })

  it('are gone at once when ended, and a kill meanwhile leaves what prune removes', async () => {
    const bytes = text(3 * MIB)
    const { blocks } = await imported(bytes, 'unixfs-v1-2025')

    for (let writes = 0; writes < 4; writes++) {
      const { fs, blockstore, links, datastore, derived, originals } = makeShelf()
      const cid = await fs.addBytes(bytes, linked())
      await originals.add(cid)
      const ended = await new Originals({ blockstore, links, datastore: mortal(datastore, writes) }).delete(cid)
        .then(() => true, () => false)

      expect(ended).toBe(writes === 3)
      expect(await missing(blocks, derived)).toHaveLength(writes === 0 ? 0 : blocks.length)

      await originals.prune()
      expect(await countEntries(datastore)).toBe(writes === 0 ? blocks.length + 1 : 0)
    }
  })

  it('skip an entry that cannot be read, and prune deletes it', async () => {
    const { fs, originals, datastore } = makeShelf()
    await originals.add(await fs.addBytes(text(MIB), linked()))
    const [{ key }] = await Array.fromAsync(datastore.query({ prefix: '/ipfsz/originals/root/' }))
    await datastore.put(key, Uint8Array.of(1, 2, 3))

    expect(await Array.fromAsync(originals.list())).toEqual([])
    await originals.prune()
    expect(await countEntries(datastore)).toBe(0)
  })
})

describe('the original of a tree', () => {
  const files = [
    { path: 'a.txt', content: text(3 * MIB) },
    { path: 'noise', content: noise(300_000) },
    { path: 'sub/b.txt', content: text(100_000, 2) },
    { path: 'sub/deeper/again.txt', content: text(3 * MIB) },
    { path: 'sub/empty', content: new Uint8Array(0) }
  ]

  async function addTree (shelf: Pick<Shelf, 'fs'>, options: object): Promise<CID> {
    let last: CID | undefined

    for await (const { cid } of shelf.fs.addAll(files, { wrapWithDirectory: true, ...options })) {
      last = cid
    }

    return last as CID
  }

  it.each([
    ['directories', {}],
    ['sharded directories', { shardSplitThresholdBytes: 1 }]
  ])('has the blocks of the tree added uncompressed, with %s', async (_, options) => {
    const shelf = makeShelf()
    const plainStore = new CountingBlockstore()
    const uncompressed = { ...options, compression: { codec: 'none' } }
    const plain = await addTree({ fs: ipfsz({ blockstore: plainStore }) }, uncompressed)
    const cid = await addTree(shelf, { ...options, link: true })
    expect(cid.code).toBe(TREE_CODE)

    expect(await shelf.originals.add(cid)).toMatchObject([{ type: 'directory', original: plain, compressed: cid }])
    expect(await missing(await allBlocks(plainStore), shelf.derived)).toEqual([])
    expect(await shelf.originals.get(plain)).toMatchObject({ original: plain, dagSize: expect.any(Number) })

    // ends alone, and the files stay
    expect(await shelf.originals.delete(plain)).toBe(1)
    expect(await missing(await allBlocks(plainStore), shelf.derived)).not.toEqual([])
    expect(await Array.fromAsync(shelf.originals.list())).toHaveLength(2)
  })

  it('refuses a tree with a compressed file that is not linked', async () => {
    const shelf = makeShelf()

    await expect(shelf.originals.add(await addTree(shelf, {}))).rejects.toMatchObject({ name: 'UnlinkedFileError' })
    expect(await countEntries(shelf.datastore)).toBe(0)
  })

  it('refuses a file whose CID is marked as a tree', async () => {
    const { fs, originals } = makeShelf()
    const cid = await fs.addBytes(text(MIB), linked())

    await expect(originals.add(mark(unmark(cid), 'tree'))).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })
})

describe('a DerivedBlockstore', () => {
  it('stores, lists and deletes in the store that it wraps', async () => {
    const { blockstore, derived } = makeShelf()
    const { root, blocks: [{ bytes }] } = await imported(text(1000), 'unixfs-v1-2025')

    await derived.put(root, bytes)
    expect(blockstore.puts).toEqual([root.toString()])
    expect(await missing([{ cid: root, bytes }], derived)).toEqual([])
    expect(await Array.fromAsync(derived.getAll())).toHaveLength(1)
    await derived.delete(root)
    expect(await derived.has(root)).toBe(false)
    expect(derived.unwrap()).toBe(blockstore)
  })

  it.each(['cacheSize', 'concurrency', 'maxWaiting', 'bytesPerSecond'])('refuses a %s of 0', name => {
    expect(() => new DerivedBlockstore(new CountingBlockstore(), { datastore: new MemoryDatastore(), [name]: 0 }))
      .toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
  })
})
