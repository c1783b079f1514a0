import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, TREE_CODE } from '@ipfsz/core'
import { openCar } from '../src/car/car.ts'
import { carParams } from '../src/request/car-params.ts'
import { noise } from '../../../test/support/data.ts'
import { carOf, entryOf } from './car-fixtures.ts'
import { blockOf, CBOR, collect, JSON_CODEC, naiveWalk, SIGNAL, SMALL_NODES, store, tree } from './dag-fixtures.ts'

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
      await expect(carOf(root, here, '', path)).rejects.toMatchObject({ name: 'EntryNotFoundError', segment: 'none' })
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
      const car = await openCar(root, [], carParams(new URLSearchParams()), { blocks: here.blockstore, signal: SIGNAL })

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
    const car = await openCar(await tree(here), [], params, { blocks: here.blockstore, signal: controller.signal })

    await car.bytes.next()
    controller.abort()
    await expect(collect(car.bytes)).rejects.toMatchObject({ name: 'AbortError' })
  })
})
