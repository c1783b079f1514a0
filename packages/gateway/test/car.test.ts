import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { flat } from 'ipfs-unixfs-importer/layout'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, TREE_CODE } from '@ipfsz/core'
import { openCar } from '../src/car/car.ts'
import { SendOnce } from '../src/car/sent-blocks.ts'
import { carParams } from '../src/request/car-params.ts'
import { noise } from '../../../test/support/data.ts'
import {
  blockOf, CBOR, collect, JSON_CODEC, naiveWalk, PB, readCar, SIGNAL, SMALL_NODES, store, tree
} from './fixtures.ts'
import type { Store } from './fixtures.ts'

interface Car {
  root: string
  cids: string[]
}

async function carOf (cid: CID, { blockstore }: Store, query = '', path = ''): Promise<Car> {
  const names = path.split('/').filter(Boolean)
  const car = await openCar(cid, names, carParams(new URLSearchParams(query)), blockstore, SIGNAL)

  return readCar(await collect(car.bytes))
}

/** The CID of an entry. */
async function entryOf (cid: CID, name: string, { fs }: Store): Promise<CID> {
  const { cid: found } = await fs.stat(cid, { path: name })

  return found
}

/** The blocks that hold a range, the slow, obvious way: by the size of everything below each link. */
async function holders (cid: CID, { start, end }: { start: number, end: number }, here: Store): Promise<string[]> {
  const below = async (cid: CID, at: number): Promise<string[]> => {
    if (cid.code === raw.code) {
      return [cid.toString()]
    }

    const found = [cid.toString()]
    let position = at

    for (const { Hash } of dagPb.decode(await blockOf(cid, here.blockstore)).Links) {
      const { size } = await here.fs.stat(Hash)

      if (position <= end && position + Number(size) > start) {
        found.push(...await below(Hash, position))
      }

      position += Number(size)
    }

    return found
  }

  return below(cid, 0)
}

const ALL = carParams(new URLSearchParams())

describe('a CAR', () => {
  it.each([false, true])('has every block in depth-first order (sharded directory: %s)', async sharded => {
    const here = store()
    const root = await tree(here, sharded)
    const all = await naiveWalk(root, here.blockstore)

    expect(await carOf(root, here, 'car-dups=y')).toEqual({ root: root.toString(), cids: all })
    expect(await carOf(root, here)).toEqual({ root: root.toString(), cids: [...new Set(all)] })
    expect(all.length).toBeGreaterThan(new Set(all).size)
  })

  it('has the blocks of the path first', async () => {
    const here = store()
    const root = await tree(here)
    const inner = await entryOf(root, 'inner', here)
    const file = await entryOf(inner, '7.txt', here)

    expect(await carOf(root, here, '', 'inner/7.txt'))
      .toEqual({ root: file.toString(), cids: [root, inner, file].map(String) })
    expect(await carOf(root, here, 'dag-scope=block', 'inner'))
      .toEqual({ root: inner.toString(), cids: [root, inner].map(String) })
  })

  it('has the shards that the path leads through, and no others', async () => {
    const here = store()
    const root = await tree(here, true)
    const inner = await entryOf(root, 'inner', here)
    let longest = 0

    for (let i = 0; i < 64; i++) {
      const file = await entryOf(inner, `${i}.txt`, here)
      const { cids } = await carOf(root, here, '', `inner/${i}.txt`)
      const shards = cids.slice(2, -1)

      expect([cids[0], cids[1], cids.at(-1)]).toEqual([root, inner, file].map(String))
      // each is linked by the one before it
      for (const [at, shard] of shards.entries()) {
        const { Links } = dagPb.decode(await blockOf(CID.parse(cids[at + 1]), here.blockstore))
        expect(Links.map(({ Hash }) => Hash.toString())).toContain(shard)
      }

      longest = Math.max(longest, shards.length)
    }

    expect(longest).toBeGreaterThan(0)
  })

  it('has the shards of a directory as its entity, but not its entries', async () => {
    const here = store()
    const root = await tree(here, true)
    const inner = await entryOf(root, 'inner', here)
    const shards = (await naiveWalk(inner, here.blockstore)).filter(cid => CID.parse(cid).code === dagPb.code)

    for (const query of ['dag-scope=entity', 'entity-bytes=0:5']) {
      expect((await carOf(root, here, query, 'inner')).cids).toEqual([root.toString(), ...shards])
      expect((await carOf(root, here, query)).cids).toEqual([root.toString()])
    }

    expect(shards.length).toBeGreaterThan(1)
  })

  it('has all blocks of a file as its entity', async () => {
    const here = store()
    const root = await tree(here)
    const file = await entryOf(root, 'a.bin', here)
    const blocks = await naiveWalk(file, here.blockstore)

    expect((await carOf(root, here, 'dag-scope=entity', 'a.bin')).cids).toEqual([root.toString(), ...blocks])
    expect((await carOf(file, here, 'dag-scope=block')).cids).toEqual([file.toString()])
  })

  it('walks documents, and follows paths through them', async () => {
    const here = store()
    const file = await here.fs.addBytes(noise(50), SMALL_NODES)
    const leaf = await here.put(JSON_CODEC, { text: '{"/":"no link"}', file })
    const doc = await here.put(CBOR, { list: [1, 'x', { leaf }, file], zz: { 10: file, a: leaf }, bytes: noise(40) })
    const all = await naiveWalk(doc, here.blockstore)

    expect((await carOf(doc, here)).cids.toSorted()).toEqual([...new Set(all)].toSorted())
    expect((await carOf(doc, here, 'dag-scope=entity')).cids).toEqual([doc.toString()])
    expect((await carOf(doc, here, 'dag-scope=block', 'list/2/leaf/file')).cids).toEqual([doc, leaf, file].map(String))
    await expect(carOf(doc, here, '', 'list/2')).rejects.toMatchObject({ status: 501 })
    await expect(carOf(doc, here, '', 'list/length')).rejects.toMatchObject({ status: 404 })
    await expect(carOf(doc, here, '', 'constructor')).rejects.toMatchObject({ status: 404 })
  })

  it('sends the links of a document as they occur in it', async () => {
    const here = store()
    const [a, b] = await Promise.all([here.put(JSON_CODEC, 1), here.put(JSON_CODEC, 2)])
    // length first: "a" is before "10", though a JavaScript object has "10" first
    const doc = await here.put(CBOR, { a, 10: b })

    expect((await carOf(doc, here)).cids).toEqual([doc, a, b].map(String))
  })

  it('leaves out identity CIDs, and walks those with links', async () => {
    const here = store()
    const file = await here.put(JSON_CODEC, 1)
    const inline = CID.createV1(CBOR.code, identity.digest(CBOR.encode([file])))
    const doc = await here.put(CBOR, [inline, CID.createV1(raw.code, identity.digest(noise(20)))])

    for (const query of ['', 'car-dups=y']) {
      expect((await carOf(doc, here, query)).cids).toEqual([doc, file].map(String))
      expect(await carOf(CID.parse('bafkqaaa'), here, query)).toEqual({ root: 'bafkqaaa', cids: [] })
    }
  })

  it('is the same for a marked CID as for its plain twin', async () => {
    const here = store()
    const fs = ipfsz(here)
    const marked = await fs.addFile({ path: 'a.txt', content: new Uint8Array(200_000) })
    const plain = CID.createV1(dagPb.code, marked.multihash)
    expect(marked.code).toBe(TREE_CODE)

    const car = await carOf(marked, here, '', 'a.txt')
    expect(car).toEqual(await carOf(plain, here, '', 'a.txt'))
    expect(CID.parse(car.root).code).toBe(dagPb.code)
    expect(await carOf(mark(plain, TREE_CODE), here)).toEqual(await carOf(plain, here))
  })

  it('refuses what is not there, before the first byte', async () => {
    const here = store()
    const root = await tree(here)
    const file = await entryOf(root, 'b.bin', here)

    for (const path of ['none', 'a.bin/none', 'b.bin/none', 'inner/none']) {
      await expect(carOf(root, here, '', path)).rejects.toMatchObject({ name: 'GatewayError', status: 404 })
    }

    here.blockstore.delete(file)
    await expect(carOf(root, here, '', 'b.bin')).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(carOf(CID.createV1(0x7c, file.multihash), store())).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('is cut by a missing or a damaged block', async () => {
    const here = store()
    const root = await tree(here)
    const file = await entryOf(root, 'b.bin', here)
    const open = async (): Promise<Uint8Array> => {
      const car = await openCar(root, [], carParams(new URLSearchParams()), here.blockstore, SIGNAL)

      return collect(car.bytes)
    }

    here.blockstore.put(file, noise(9))
    await expect(open()).rejects.toMatchObject({ name: 'CorruptBlockError' })
    here.blockstore.delete(file)
    await expect(open()).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('refuses a codec whose links are unknown, but sends its block', async () => {
    const here = store()
    const other = await here.put({ code: 0x78, encode: () => noise(30) }, null)

    await expect(carOf(other, here)).rejects.toMatchObject({ status: 400 })
    expect((await carOf(other, here, 'dag-scope=entity')).cids).toEqual([other.toString()])
  })

  it('ends when the request is aborted', async () => {
    const here = store()
    const controller = new AbortController()
    const params = carParams(new URLSearchParams())
    const car = await openCar(await tree(here), [], params, here.blockstore, controller.signal)

    await car.bytes.next()
    controller.abort()
    await expect(collect(car.bytes)).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('reading ahead', () => {
  it('reads leaves at the same time, but not more than a few', async () => {
    const here = store()
    const root = await here.fs.addBytes(noise(2000), { ...SMALL_NODES, layout: flat() })
    const leaves = (await naiveWalk(root, here.blockstore)).slice(1)
    let reading = 0
    let most = 0
    const blocks = {
      async * get (cid: CID) {
        most = Math.max(most, ++reading)
        await Promise.resolve()
        yield * here.blockstore.get(cid)
        reading--
      }
    }
    const car = await openCar(root, [], ALL, blocks, SIGNAL)
    await car.bytes.next()
    await car.bytes.next()
    here.blockstore.gets.length = 0
    await car.bytes.next()

    expect(most).toBe(8)
    expect(here.blockstore.gets).toEqual(leaves.slice(0, 8))
    const { bytes } = await openCar(root, [], ALL, blocks, SIGNAL)
    expect((await readCar(await collect(bytes))).cids).toEqual([root.toString(), ...leaves])
  })

  it('sends what comes before a missing leaf', async () => {
    const here = store()
    const root = await here.fs.addBytes(noise(200), { ...SMALL_NODES, layout: flat() })
    const leaves = (await naiveWalk(root, here.blockstore)).slice(1)
    here.blockstore.delete(CID.parse(leaves[5]))
    const parts: Uint8Array[] = []

    await expect((async () => {
      for await (const part of (await openCar(root, [], ALL, here.blockstore, SIGNAL)).bytes) {
        parts.push(part)
      }
    })()).rejects.toMatchObject({ name: 'NotFoundError' })
    // the header, the root and five leaves
    expect(parts).toHaveLength(7)
  })
})

describe('entity-bytes', () => {
  it('has only the blocks that hold the range', async () => {
    const here = store()
    const bytes = noise(300)
    const rawLeaves = await here.fs.addBytes(bytes, SMALL_NODES)
    const nodeLeaves = await here.fs.addBytes(bytes, { ...SMALL_NODES, rawLeaves: false })
    const repeated = await here.fs.addBytes(new Uint8Array(300), SMALL_NODES)

    await fc.assert(fc.asyncProperty(
      fc.constantFrom(rawLeaves, nodeLeaves, repeated),
      fc.integer({ min: -350, max: 299 }),
      fc.option(fc.integer({ min: -300, max: 400 })),
      fc.boolean(),
      async (file, from, to, dups) => {
        fc.pre(to == null || from < 0 !== to < 0 || from <= to)

        const start = Math.max(from < 0 ? 300 + from : from, 0)
        const end = Math.min(to == null ? 299 : to < 0 ? 300 + to : to, 299)
        const wanted = start > end ? [file.toString()] : await holders(file, { start, end }, here)
        const { cids } = await carOf(file, here, `entity-bytes=${from}:${to ?? '*'}${dups ? '&car-dups=y' : ''}`)

        expect(cids).toEqual(dups ? wanted : [...new Set(wanted)])
      }
    ), { numRuns: 200 })
  })

  it('refuses a range outside of the file, and sends the root for an empty one', async () => {
    const here = store()
    const file = await here.fs.addBytes(noise(100), SMALL_NODES)
    const empty = await here.fs.addBytes(new Uint8Array(0))

    for (const range of ['100:*', '100:200', '-300:-200']) {
      await expect(carOf(file, here, `entity-bytes=${range}`)).rejects.toMatchObject({ status: 400 })
    }

    for (const [cid, range] of [[file, '50:-60'], [file, '0:-200'], [empty, '0:*'], [empty, '5:*']] as const) {
      expect((await carOf(cid, here, `entity-bytes=${range}`)).cids).toEqual([cid.toString()])
    }
  })

  it('needs no block outside of the range', async () => {
    const here = store()
    const file = await here.fs.addBytes(noise(100), SMALL_NODES)
    const wanted = await holders(file, { start: 15, end: 24 }, here)

    for (const { cid } of await Array.fromAsync(here.blockstore.getAll())) {
      if (!wanted.some(text => CID.parse(text).multihash.digest.every((byte, i) => byte === cid.multihash.digest[i]))) {
        here.blockstore.delete(cid)
      }
    }

    expect((await carOf(file, here, 'entity-bytes=15:24')).cids).toEqual(wanted)
    expect(wanted.length).toBeGreaterThan(3)
  })

  it('refuses parts that hold more than their parent states', async () => {
    const here = store()
    const leaf = await here.put({ code: raw.code, encode: () => noise(100) }, null)
    const node = async (sizes: bigint[], links: CID[]): Promise<CID> => here.put(PB, {
      Data: new UnixFS({ type: 'file', blockSizes: sizes }).marshal(),
      Links: links.map(Hash => ({ Hash, Name: '', Tsize: 1 }))
    })
    let file = await node([100n, 100n], [leaf, leaf])

    for (let i = 0; i < 60; i++) {
      file = await node([60n, 60n], [file, file])
    }

    await expect(carOf(file, here, 'entity-bytes=50:70')).rejects.toMatchObject({ name: 'InvalidDagError' })

    for (const cid of [await node([1n], []), await node([2n ** 63n], [leaf])]) {
      await expect(carOf(cid, here, 'entity-bytes=0:0')).rejects.toMatchObject({ name: 'InvalidDagError' })
    }
  })
})

describe('hostile DAGs', () => {
  it('walks a block with many ways to it once', async () => {
    const here = store()
    let doc = await here.put(CBOR, 1)

    for (let i = 0; i < 64; i++) {
      doc = await here.put(CBOR, [i, doc, doc])
    }

    here.blockstore.gets.length = 0
    expect((await carOf(doc, here)).cids).toHaveLength(65)
    // the root is read once more, to be opened
    expect(here.blockstore.gets).toHaveLength(66)
  })

  it('holds no block above a last link, so that a long chain is not deep', async () => {
    const here = store()
    let doc = await here.put(CBOR, 1)

    for (let i = 0; i < 9; i++) {
      doc = await here.put(CBOR, [new Uint8Array(4_000_000).fill(i + 1), doc])
    }

    expect((await carOf(doc, here)).cids).toHaveLength(10)
  })

  it('refuses a DAG that is too deep', async () => {
    const here = store()
    const last = await here.put(CBOR, 1)
    let doc = await here.put(CBOR, 2)

    for (let i = 0; i < 9; i++) {
      doc = await here.put(CBOR, [new Uint8Array(4_000_000).fill(i + 1), doc, last])
    }

    await expect(carOf(doc, here)).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('refuses blocks that cannot be decoded', async () => {
    const here = store()
    const blocks: Array<[number, number[]]> = [
      [PB.code, [0xff, 0xff]],
      [CBOR.code, [0x5a, 0xff, 0xff, 0xff, 0xff]],
      [CBOR.code, [0x1b, 1]],
      [CBOR.code, [0x9f, 0xff]],
      [CBOR.code, [0xd8, 42, 0x01]],
      [CBOR.code, [0xd8, 42, 0x42, 1, 1]],
      [CBOR.code, [0xd8, 42, 0x42, 0, 1]],
      [JSON_CODEC.code, [...new TextEncoder().encode('{"/":"no CID"}')]]
    ]

    for (const [code, bytes] of blocks) {
      const cid = await here.put({ code, encode: () => Uint8Array.from(bytes) }, null)
      await expect(carOf(cid, here)).rejects.toMatchObject({ name: 'InvalidDagError' })
    }
  })

  it('refuses to remember more blocks than fit', () => {
    const sent = new SendOnce(2)
    const [a, b, c] = [1, 2, 3].map(i => CID.createV1(raw.code, identity.digest(Uint8Array.of(i))))

    expect(sent.visit(a, false)).toEqual({ send: true, walk: true })
    expect(sent.visit(a, true)).toEqual({ send: false, walk: true })
    expect(sent.visit(a, false)).toEqual({ send: false, walk: false })
    expect(sent.visit(b, true)).toEqual({ send: true, walk: true })
    expect(() => sent.visit(c, true)).toThrow(expect.objectContaining({ name: 'CarTooLargeError', maxBlocks: 2 }))
  })

  it('decodes no document of more than 2 MiB on a path', async () => {
    const here = store()
    const doc = await here.put(CBOR, { a: new Uint8Array(2 ** 21) })

    await expect(carOf(doc, here, '', 'a')).rejects.toMatchObject({ name: 'InvalidDagError' })
  })
})
