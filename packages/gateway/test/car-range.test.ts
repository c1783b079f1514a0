import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { describe, expect, it } from 'vitest'
import { noise } from '../../../test/support/data.ts'
import { carOf } from './car-fixtures.ts'
import { blockOf, PB, SMALL_NODES, store } from './dag-fixtures.ts'
import type { Store } from './dag-fixtures.ts'

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

describe('entity-bytes', () => {
  it('has only the blocks that hold the range', { tags: 'slow' }, async () => {
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
