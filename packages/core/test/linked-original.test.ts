/** @module-tag long */
import { codecs } from '@ipfsz/codecs/all'
import { concat } from '@ipfsz/utils/bytes'
import { decodeCids } from '@ipfsz/utils/decode-cids'
import * as dagPb from '@ipld/dag-pb'
import { blake3 } from '@noble/hashes/blake3.js'
import { UnixFS } from 'ipfs-unixfs'
import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { MemoryDatastore } from 'datastore-core'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { LAYOUTS } from '../src/content-cid/content-layouts.ts'
import { decodeNode } from '../src/dag/node.ts'
import { writeRoot } from '../src/dag/write.ts'
import { openEntry } from '../src/read/entry.ts'
import { ipfsz, mark, MARKERS, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, FRAME, getBlock, text } from './fixtures.ts'
import { RAW, toV0, writeLink } from './link-fixtures.ts'
import type { Layout } from '../src/content-cid/content-layouts.ts'
import type { Header } from '../src/format/header.ts'
import type { Ipfsz } from '../src/index.ts'

const COMPRESSION = { codec: 'zstd', frameSize: FRAME } as const

interface Store {
  fs: Ipfsz
  blockstore: CountingBlockstore
  datastore: MemoryDatastore
}

function store (): Store {
  const blockstore = new CountingBlockstore()
  const datastore = new MemoryDatastore()

  return { fs: ipfsz({ blockstore, datastore }), blockstore, datastore }
}

/** The CID that an importer elsewhere gives the bytes. */
async function originalOf (
  bytes: Uint8Array,
  { cidVersion, rawLeaves, leafSize, maxLinks }: Omit<Layout, 'name'> = LAYOUTS[0]
): Promise<CID> {
  return (await importFile({ content: bytes }, new CountingBlockstore(), {
    cidVersion,
    rawLeaves,
    chunker: fixedSize({ chunkSize: leafSize }),
    layout: balanced({ maxChildrenPerNode: maxLinks })
  })).cid
}

/** A raw CID with another hash function. */
async function rawCid (bytes: Uint8Array, code: number): Promise<CID> {
  return CID.createV1(RAW, createDigest(code, blake3(bytes)))
}

/** An identity CID with a file in it. */
function inlineFile (bytes: Uint8Array): CID {
  const data = new UnixFS({ type: 'file', data: bytes }).marshal()

  return CID.createV1(0x70, identity.digest(dagPb.encode({ Data: data, Links: [] })))
}

/** Settings that match none of LAYOUTS. */
const STRANGE = { cidVersion: 1, rawLeaves: true, leafSize: 70_000, maxLinks: 11 } as const

/** Add a link as an earlier version did, which compared nothing. */
async function linkAsBefore ({ datastore }: Store, original: CID, compressed: CID): Promise<void> {
  await writeLink(datastore, { original, compressed })
}

/** The same compressed file with this content CID in its header. */
async function withContentCid (contentCid: CID, cid: CID, blockstore: CountingBlockstore): Promise<CID> {
  const { header } = await openEntry(cid, { blockstore }, {})
  const { unixfs, links } = decodeNode(unmark(cid), await getBlock(unmark(cid), blockstore))
  const root = await writeRoot({
    links: [...links].map(
      ({ Hash, Tsize = 0 }, i) => ({ cid: Hash, dagSize: Tsize, size: Number(unixfs.blockSizes[i]) })
    ),
    header: { ...header as Header, contentCid }
  }, {}, blockstore, {})

  return mark(root.cid, MARKERS.zstd)
}

/** How many bytes a source yields before it ends or fails. */
async function read (source: AsyncIterable<Uint8Array>): Promise<{ length: number, error?: unknown }> {
  let length = 0

  try {
    for await (const bytes of source) {
      length += bytes.byteLength
    }

    return { length }
  } catch (error) {
    return { length, error }
  }
}

const small = text(300_000)
const large = text(3_000_000)
const other = text(3_000_000, 2)

describe('linking an original', () => {
  const cases = LAYOUTS.flatMap(layout => [small, large]
    .map(bytes => [layout.name, bytes.byteLength, layout, bytes] as const))

  it.each(cases)('made with %s (%d bytes) compares the file, then allows all reads', async (_, size, layout, bytes) => {
    const { fs } = store()
    const original = await originalOf(bytes, layout)
    await fs.links.add(original, await fs.addBytes(bytes))

    expect(Buffer.compare(await collect(fs.cat(original)), bytes)).toBe(0)
    expect(
      Buffer.from(await collect(fs.cat(original, { offset: 70_000, length: 10 })))
    ).toEqual(Buffer.from(bytes.subarray(70_000, 70_010)))
    expect(await fs.verify(original)).toMatchObject({ size: BigInt(size) })
    expect(await Array.fromAsync(fs.links.list())).toMatchObject([{ checked: true }])
  })

  it('by its CID of the other version works too', async () => {
    const { fs } = store()
    const cid = await fs.addBytes(large)
    const [v1, v0] = await Promise.all(LAYOUTS.slice(0, 2).map(async layout => originalOf(large, layout)))

    for (const original of [v0.toV1(), toV0(v1)]) {
      await fs.links.add(original, cid)
      expect(Buffer.compare(await collect(fs.cat(original)), large)).toBe(0)
    }

    expect(await Array.fromAsync(fs.links.list())).toMatchObject([{ checked: true }, { checked: true }])
  })

  it.each([
    ['raw', small.subarray(0, 1000)],
    ['dag-pb', large]
  ])('refuses a file with other bytes than a %s original, and keeps the earlier link', async (_, bytes) => {
    const { fs } = store()
    const original = await originalOf(bytes)
    const [good, bad] = await Promise.all([fs.addBytes(bytes), fs.addBytes(other)])
    await fs.links.add(original, good)

    await expect(fs.links.add(original, bad)).rejects.toMatchObject(
      { name: 'LinkMismatchError', original, compressed: bad, by: 'bytes' }
    )
    expect(await fs.links.get(original)).toEqual(good)
    expect(await fs.links.get(bad)).toBeUndefined()
  })

  it('reports the CIDs of the bytes if they do not match', async () => {
    const { fs } = store()

    await expect(fs.links.add(await originalOf(large), await fs.addBytes(other))).rejects.toMatchObject(
      { found: await Promise.all(LAYOUTS.map(async layout => originalOf(other, layout))) }
    )
  })

  it('made with unknown settings or another hash is refused, unless unchecked', async () => {
    const { fs } = store()
    const cid = await fs.addBytes(large)
    const blake = CID.createV1(0x70, { ...(await sha256.digest(large)), code: 0x1e } as CID['multihash'])

    for (const original of [await originalOf(large, STRANGE), blake]) {
      await expect(fs.links.add(original, cid)).rejects.toMatchObject({ name: 'LinkMismatchError' })
      await fs.links.add(original, cid, { unchecked: true })
      expect(await fs.links.get(original)).toEqual(cid)
    }

    expect(await Array.fromAsync(fs.links.list())).toMatchObject([{ checked: false }, { checked: false }])
  })

  it('again as unchecked leaves a checked link checked', async () => {
    const { fs } = store()
    const original = await originalOf(large)
    const cid = await fs.addBytes(large)
    await fs.links.add(original, cid)
    await fs.links.add(original, cid, { unchecked: true })

    expect(await Array.fromAsync(fs.links.list())).toEqual([{ original, compressed: cid, checked: true }])
  })

  it('to a stream of another tool decompresses it', async () => {
    const { fs } = store()
    const stream = await fs.addBytes(
      await codecs.zstd().compress(large),
      { compression: { codec: 'none' }, reduceSingleLeafToSelf: false } as Parameters<Ipfsz['addBytes']>[1]
    )
    const cid = mark(stream, MARKERS.zstd)
    const original = await originalOf(large)

    await fs.links.add(original, cid)
    expect(Buffer.compare(await collect(fs.cat(original)), large)).toBe(0)
    await expect(fs.links.add(await originalOf(other), cid)).rejects.toMatchObject({ name: 'LinkMismatchError' })
  })

  it('ends if the signal aborts, and links nothing', async () => {
    const { fs } = store()
    const controller = new AbortController()
    const cid = await fs.addBytes(large, { compression: COMPRESSION })
    const adding = fs.links.add(
      await originalOf(large),
      cid,
      { signal: controller.signal, onProgress: () => { controller.abort() } }
    )

    await expect(adding).rejects.toMatchObject({ name: 'AbortError' })
    expect(await Array.fromAsync(fs.links.list())).toEqual([])
  })

  it('stores its result after the CIDs that earlier versions read', async () => {
    const { fs, datastore } = store()
    const original = await originalOf(large)
    const cid = await fs.addBytes(large)
    await fs.links.add(original, cid)
    const [{ key, value }] = await Array.fromAsync(datastore.query({ prefix: '/ipfsz/links/original' }))

    expect(decodeCids(value)).toHaveLength(3)
    expect(decodeCids(value).slice(0, 2)).toEqual([cid, original])
    // a word that a later version may write
    await datastore.put(key, concat([
      cid.bytes,
      original.bytes,
      CID.createV1(RAW, identity.digest(new TextEncoder().encode('later')) as CID['multihash']).bytes
    ]))
    expect(await Array.fromAsync(fs.links.list())).toEqual([{ original, compressed: cid }])
  })
})

describe('a wrong link of an earlier version', () => {
  it('yields nothing of a small file, and never the end of a large one', async () => {
    const made = store()
    const { fs } = made
    const bad = await fs.addBytes(other, { compression: COMPRESSION })
    const tiny = await fs.addBytes(text(10_000, 9))
    const [original, raw] = [await originalOf(large), await originalOf(text(10_000))]
    await linkAsBefore(made, original, bad)
    await linkAsBefore(made, raw, tiny)

    const ended = await read(fs.cat(original))
    expect(ended.error).toMatchObject({ name: 'LinkMismatchError', original, compressed: bad, by: 'bytes' })
    expect(ended.length).toBeLessThan(other.byteLength)
    expect(await read(fs.cat(raw))).toMatchObject({ length: 0, error: { name: 'LinkMismatchError', original: raw } })
    // the same for a range of the whole file
    expect(
      await read(fs.cat(raw, { offset: 0, length: 10_000 }))
    ).toMatchObject({ length: 0, error: { name: 'LinkMismatchError' } })
  })

  it('fails verification', async () => {
    const made = store()
    const original = await originalOf(large)
    const bad = await made.fs.addBytes(other)
    await linkAsBefore(made, original, bad)

    await expect(made.fs.verify(original)).rejects.toMatchObject(
      { name: 'LinkMismatchError', original, compressed: bad }
    )
    await expect(made.fs.verify(bad)).resolves.toMatchObject({ files: 1 })
  })

  it('from a raw CID to a huge file is refused once the file exceeds the largest block', async () => {
    const made = store()
    const original = CID.createV1(RAW, await sha256.digest(large))
    await linkAsBefore(made, original, await made.fs.addBytes(new Uint8Array(60_000_000)))
    made.blockstore.gets.length = 0

    const { length, error } = await read(made.fs.cat(original))
    expect(error).toMatchObject({ name: 'LinkMismatchError', found: [] })
    expect(length).toBe(0)
  })
})

describe('a good link of an earlier version', () => {
  it('is read whole, and in ranges only after verify', async () => {
    const made = store()
    const { fs } = made
    const original = await originalOf(large, LAYOUTS[1])
    const compressed = await fs.addBytes(large)
    await linkAsBefore(made, original, compressed)

    for (const range of [{ offset: 1 }, { length: 10 }, { offset: 0, length: 0 }]) {
      await expect(collect(fs.cat(original, range))).rejects.toMatchObject(
        { name: 'UncheckedLinkError', what: 'range', original, compressed }
      )
    }

    expect(Buffer.compare(await collect(fs.cat(original)), large)).toBe(0)
    await fs.verify(original)
    expect(
      Buffer.from(await collect(fs.cat(original, { offset: 5, length: 10 })))
    ).toEqual(Buffer.from(large.subarray(5, 15)))
  })

  it('is verified even if the datastore is read-only', async () => {
    const made = store()
    const original = await originalOf(large)
    await linkAsBefore(made, original, await made.fs.addBytes(large))
    const datastore = Object.assign(
      Object.create(made.datastore) as MemoryDatastore,
      { put: () => { throw new Error('read-only') } }
    )

    const fs = ipfsz({ blockstore: made.blockstore, datastore })

    await expect(fs.verify(original)).resolves.toMatchObject({ files: 1 })
    await expect(collect(fs.cat(original, { offset: 1 }))).rejects.toMatchObject({ name: 'UncheckedLinkError' })
  })

  it('to a directory is refused, because it cannot be compared', async () => {
    const made = store()
    const { fs } = made
    const tree = await fs.addFile({ path: 'a/b', content: small })
    const original = await originalOf(large)
    await linkAsBefore(made, original, tree)
    const refused = { name: 'UncheckedLinkError', what: 'directory', original, compressed: tree }

    await expect(fs.stat(original)).rejects.toMatchObject(refused)
    await expect(Array.fromAsync(fs.ls(original))).rejects.toMatchObject(refused)
    await expect(collect(fs.cat(original, { path: 'a/b' }))).rejects.toMatchObject(refused)
    await expect(fs.verify(original)).rejects.toMatchObject(refused)
    await expect(fs.links.add(original, tree)).rejects.toMatchObject(refused)
  })
})

describe('an unchecked link', () => {
  it('is read whole but not in ranges, and reported', async () => {
    const { fs } = store()
    const original = await originalOf(large, STRANGE)
    const compressed = await fs.addBytes(large)
    await fs.links.add(original, compressed, { unchecked: true })
    const told: unknown[] = []

    expect(Buffer.compare(await collect(fs.cat(
      original,
      { onProgress: event => { told.push(...event.type === 'ipfsz:link:unchecked' ? [event.detail] : []) } }
    )), large)).toBe(0)
    expect(told).toEqual([{ original, compressed }])
    await expect(
      collect(fs.cat(original, { offset: 1, length: 1 }))
    ).rejects.toMatchObject({ name: 'UncheckedLinkError', what: 'range' })
    await expect(fs.verify(original)).rejects.toMatchObject({ name: 'UncheckedLinkError', what: 'settings' })
  })

  it('becomes checked once its original proves to have known settings', async () => {
    const { fs } = store()
    const original = await originalOf(large)
    await fs.links.add(original, await fs.addBytes(large), { unchecked: true })
    const told: unknown[] = []

    await collect(
      fs.cat(original, { onProgress: event => { told.push(...event.type === 'ipfsz:link:unchecked' ? [event] : []) } })
    )
    expect(told).toEqual([])
    await fs.verify(original)
    expect(await Array.fromAsync(fs.links.list())).toMatchObject([{ checked: true }])
  })

  it.each<[string, () => Promise<CID>, (fs: Ipfsz) => Promise<CID>, 'bytes' | 'kind']>([
    ['a raw CID to other bytes', async () => originalOf(small), async fs => fs.addBytes(text(10_000, 2)), 'bytes'],
    ['a raw CID to fewer bytes', async () => originalOf(small), async fs => fs.addBytes(text(5000)), 'bytes'],
    ['a raw CID to more than a block', async () => originalOf(small),
      async fs => fs.addBytes(new Uint8Array(3_000_000)), 'bytes'],
    ['a raw CID with blake3', async () => rawCid(small, 0x1e), async fs => fs.addBytes(text(5000)), 'bytes'],
    ['a raw CID to a directory', async () => originalOf(small),
      async fs => fs.addFile({ path: 'a/b', content: small }), 'kind'],
    ['a dag-cbor CID', async () => CID.createV1(0x71, (await originalOf(small)).multihash),
      async fs => fs.addBytes(small), 'kind'],
    ['a dag-json CID to a directory', async () => CID.createV1(0x0129, (await originalOf(small)).multihash),
      async fs => fs.addFile({ path: 'a/b', content: small }), 'kind']
  ])('from %s is refused, and so is reading by one of an earlier version', async (_, originalOf, add, by) => {
    const { fs, datastore } = store()
    const [original, compressed] = [await originalOf(), await add(fs)]
    const refused = { name: 'LinkMismatchError', original, compressed, by }

    await expect(fs.links.add(original, compressed, { unchecked: true })).rejects.toMatchObject(refused)
    expect(await Array.fromAsync(fs.links.list())).toEqual([])

    await writeLink(datastore, { original, compressed, check: 'unchecked' })
    expect(await read(fs.cat(original))).toMatchObject({ length: 0, error: refused })
    await expect(fs.verify(original)).rejects.toMatchObject({ original, compressed })
  })

  it.each([
    ['raw', CID.createV1(RAW, identity.digest(text(5000)))],
    ['dag-pb', inlineFile(text(20))],
    ['dag-pb of as many bytes', inlineFile(text(5000))],
    ['dag-pb of an empty block', CID.createV1(0x70, identity.digest(new Uint8Array()))],
    ['dag-pb of other bytes', CID.createV1(0x70, identity.digest(text(20)))]
  ])('from an identity CID with the codec %s to other bytes is refused', async (_, original) => {
    const { fs } = store()
    const compressed = await fs.addBytes(text(5000, 2))

    await expect(fs.links.add(original, compressed, { unchecked: true }))
      .rejects.toMatchObject({ name: 'LinkMismatchError', original, compressed, by: 'bytes' })
  })

  it('from an original that is stored is refused if it is of another type or size', async () => {
    const { fs } = store()
    const plain = { compression: { codec: 'none' } } as const
    const large = text(3_000_000)
    const [file, directory] = [await fs.addBytes(large, plain), await fs.addDirectory()]
    const [same, other, tree] = [
      await fs.addBytes(text(3_000_000, 2)), await fs.addBytes(text(2_000_000)),
      await fs.addFile({ path: 'a/b', content: large })
    ]

    for (const [original, compressed] of [[file, other], [directory, other], [file, tree]]) {
      await expect(fs.links.add(original, compressed, { unchecked: true }))
        .rejects.toMatchObject({ name: 'LinkMismatchError', original, compressed, by: 'kind' })
    }

    // what nothing but a comparison could tell
    await fs.links.add(file, same, { unchecked: true })
    await fs.links.add(directory, tree, { unchecked: true })
    expect(await Array.fromAsync(fs.links.list())).toHaveLength(2)
  })

  it('from a raw CID to its bytes is checked', async () => {
    const { fs } = store()
    await fs.links.add(await originalOf(small), await fs.addBytes(small), { unchecked: true })

    expect(await Array.fromAsync(fs.links.list())).toMatchObject([{ checked: true }])
  })

  it('to a directory is read, and reported', async () => {
    const { fs } = store()
    const tree = await fs.addFile({ path: 'a/b', content: small })
    const original = await originalOf(large)
    await fs.links.add(original, tree, { unchecked: true })
    const told: string[] = []

    expect(Buffer.compare(
      await collect(fs.cat(original, { path: 'a/b', onProgress: event => { told.push(event.type) } })),
      small
    )).toBe(0)
    expect(told).toContain('ipfsz:link:unchecked')
    expect(await Array.fromAsync(fs.ls(original))).toMatchObject([{ name: 'a' }])
    expect(await fs.stat(original)).toMatchObject({ type: 'directory', markedCid: tree })
    await expect(
      collect(fs.cat(original, { path: 'a/b', offset: 1, length: 1 }))
    ).rejects.toMatchObject({ name: 'UncheckedLinkError', what: 'directory' })
  })
})

describe('a content CID in the header', () => {
  it('that differs from the requested CID is refused before any leaf is read', async () => {
    const made = store()
    const { fs, blockstore } = made
    const bad = await fs.addBytes(other, { link: true })
    const original = await originalOf(large)
    const refused = {
      name: 'LinkMismatchError',
      original,
      compressed: bad,
      by: 'header',
      found: [await originalOf(other)]
    }

    for (const unchecked of [true, false]) {
      await (unchecked ? fs.links.add(original, bad, { unchecked }) : linkAsBefore(made, original, bad))
      blockstore.gets.length = 0

      for (const asked of [
        collect(fs.cat(original)),
        collect(fs.cat(original, { length: 1 })),
        fs.stat(original),
        Array.fromAsync(fs.ls(original))
      ]) {
        await expect(asked).rejects.toMatchObject(refused)
      }

      expect(blockstore.gets.filter(cid => cid !== unmark(bad).toString())).toEqual([])
    }
  })

  it('does not prevent reading by another CID of the same bytes, once compared', async () => {
    const made = store()
    const { fs } = made
    const original = await originalOf(large, LAYOUTS[1])
    await linkAsBefore(made, original, await fs.addBytes(large, { link: true }))

    await expect(collect(fs.cat(original))).rejects.toMatchObject({ name: 'LinkMismatchError', by: 'header' })
    await fs.verify(original)

    expect(Buffer.compare(await collect(fs.cat(original)), large)).toBe(0)
    expect(Buffer.compare(await collect(fs.cat(original, { offset: 10, length: 10 })), large.subarray(10, 20))).toBe(0)
    expect(await fs.stat(original)).toMatchObject({ size: 3_000_000n })
  })

  it('made with another layout does not matter once the bytes are compared', async () => {
    const { fs, blockstore } = store()
    const original = await originalOf(large, LAYOUTS[1])
    const cid = await withContentCid(original, await fs.addBytes(large), blockstore)
    await fs.links.add(original, cid)

    expect(Buffer.compare(await collect(fs.cat(original)), large)).toBe(0)
  })

  it('allows reading a range, and is detected by a whole read and by verify if it is false', async () => {
    const made = store()
    const { fs, blockstore } = made
    const original = await originalOf(large)
    const bad = await withContentCid(original, await fs.addBytes(other, { link: true }), blockstore)
    await linkAsBefore(made, original, bad)

    expect(await collect(fs.cat(original, { offset: 5, length: 5 }))).toHaveLength(5)
    expect(await read(fs.cat(original))).toMatchObject(
      { error: { name: 'LinkMismatchError', by: 'bytes', found: [await originalOf(other)] } }
    )
    await expect(fs.verify(original)).rejects.toMatchObject({ name: 'ContentMismatchError' })
    await expect(fs.links.add(original, bad)).rejects.toMatchObject({ name: 'LinkMismatchError' })
  })
})
