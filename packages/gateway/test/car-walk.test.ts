import { flat } from 'ipfs-unixfs-importer/layout'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { openCar } from '../src/car/car.ts'
import { SendOnce } from '../src/car/sent-blocks.ts'
import { noise } from '../../../test/support/data.ts'
import { ALL, carOf } from './car-fixtures.ts'
import { CBOR, collect, JSON_CODEC, naiveWalk, PB, readCar, SIGNAL, SMALL_NODES, store } from './dag-fixtures.ts'

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
    const car = await openCar(root, [], ALL, { blocks, signal: SIGNAL })
    await car.bytes.next()
    await car.bytes.next()
    here.blockstore.gets.length = 0
    await car.bytes.next()

    expect(most).toBe(8)
    expect(here.blockstore.gets).toEqual(leaves.slice(0, 8))
    const { bytes } = await openCar(root, [], ALL, { blocks, signal: SIGNAL })
    expect((await readCar(await collect(bytes))).cids).toEqual([root.toString(), ...leaves])
  })

  it('sends what comes before a missing leaf', async () => {
    const here = store()
    const root = await here.fs.addBytes(noise(200), { ...SMALL_NODES, layout: flat() })
    const leaves = (await naiveWalk(root, here.blockstore)).slice(1)
    here.blockstore.delete(CID.parse(leaves[5]))
    const parts: Uint8Array[] = []

    await expect((async () => {
      for await (const part of (await openCar(root, [], ALL, { blocks: here.blockstore, signal: SIGNAL })).bytes) {
        parts.push(part)
      }
    })()).rejects.toMatchObject({ name: 'NotFoundError' })
    // the header, the root and five leaves
    expect(parts).toHaveLength(7)
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

  it('holds no block above a last link, so that a long chain is not deep', { tags: 'slow' }, async () => {
    const here = store()
    let doc = await here.put(CBOR, 1)

    for (let i = 0; i < 18; i++) {
      doc = await here.put(CBOR, [new Uint8Array(2_000_000).fill(i + 1), doc])
    }

    expect((await carOf(doc, here)).cids).toHaveLength(19)
  })

  it('refuses a DAG that is too deep', async () => {
    const here = store()
    const last = await here.put(CBOR, 1)
    let doc = await here.put(CBOR, 2)

    for (let i = 0; i < 18; i++) {
      doc = await here.put(CBOR, [new Uint8Array(2_000_000).fill(i + 1), doc, last])
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

  it('refuses to remember more blocks than fit', { tags: 'slow' }, () => {
    const sent = new SendOnce(2)
    const [a, b, c] = [1, 2, 3].map(i => CID.createV1(raw.code, identity.digest(Uint8Array.of(i))))

    expect(sent.visit(a, false)).toEqual({ send: true, walk: true })
    expect(sent.visit(a, true)).toEqual({ send: false, walk: true })
    expect(sent.visit(a, false)).toEqual({ send: false, walk: false })
    expect(sent.visit(b, true)).toEqual({ send: true, walk: true })
    expect(() => sent.visit(c, true)).toThrow(expect.objectContaining({ name: 'CarTooLargeError', maxBlocks: 2 }))

    // by their bytes: a CID may be as long as a block
    const long = CID.createV1(raw.code, identity.digest(new Uint8Array(1_000_000)))
    expect(() => new SendOnce(10_000).visit(long, true)).toThrow(expect.objectContaining({ name: 'CarTooLargeError' }))
    expect(new SendOnce(20_000).visit(long, true)).toEqual({ send: true, walk: true })
  })

  it('reads no block of more than 2 MiB', async () => {
    const here = store()
    const doc = await here.put(CBOR, { a: new Uint8Array(2 ** 21) })

    await expect(carOf(doc, here)).rejects.toMatchObject({ name: 'BlockTooLargeError', cid: doc, limit: 2 ** 21 })
  })
})
