import { car } from '@helia/car'
import { CarReader } from '@ipld/car'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ipfsz, unmark, withIpfsz } from '../src/index.ts'
import { collect, text } from './fixtures.ts'
import type { GraphWalkerFactory, Helia, Router } from 'helia'

// an unhandled rejection, which Helia's own walker leaves, fails the run

const MISSING = CID.createV1(dagPb.code, await sha256.digest(Uint8Array.of(1)))

async function startHelia (blockstore = new MemoryBlockstore()): Promise<Helia> {
  const helia = withIpfsz(createHeliaLight({ blockstore }))
  onTestFinished(async () => { await helia.stop() })

  return helia.start()
}

/** A tree of three files in two directories, with many blocks. */
async function addTree (helia: Helia): Promise<CID> {
  const files = ['a.txt', 'b/c.txt', 'b/d.txt'].map((path, i) => ({ path, content: text(300_000, i + 1) }))
  const results = await Array.fromAsync(ipfsz(helia).addAll(files, {
    wrapWithDirectory: true,
    compression: { codec: 'zstd', frameSize: 65_536 }
  }))

  return results[results.length - 1].cid
}

const rootOnly: GraphWalkerFactory = ({ blockstore, getCodec }) => ({
  async * walk (cid) {
    const codec = await getCodec(cid.code)
    const bytes = await collect(blockstore.get(cid) as AsyncIterable<Uint8Array>)

    yield { block: { cid, bytes, value: codec.decode(bytes) } as never, depth: 0, path: [cid] }
  }
})

const strings = (cids: CID[]): string[] => cids.map(cid => unmark(cid).toString())

describe('withIpfsz', () => {
  it('pins a marked CID, keeps its blocks when garbage is collected, and unpins it', async () => {
    const helia = await startHelia()
    const cid = await addTree(helia)
    const pinned = await Array.fromAsync(helia.pins.add(cid))

    await helia.gc()
    expect(Buffer.compare(await collect(ipfsz(helia).cat(cid, { path: 'b/d.txt' })), text(300_000, 3))).toBe(0)
    expect(await Array.fromAsync(helia.pins.ls())).toMatchObject([{ cid }])

    const unpinned = await Array.fromAsync(helia.pins.rm(cid))
    await helia.gc()
    expect(strings(unpinned)).toEqual(strings(pinned))
    expect(await helia.blockstore.has(cid)).toBe(false)
  })

  it.each([Infinity, 0, 1, 2])('walks in the order of the walker of Helia, to a depth of %s', async depth => {
    const blockstore = new MemoryBlockstore()
    const helia = await startHelia(blockstore)
    const cid = await addTree(helia)
    const stock = await createHeliaLight({ blockstore }).start()
    onTestFinished(async () => { await stock.stop() })

    const expected = await Array.fromAsync(stock.pins.add(unmark(cid), { depth }))

    expect(strings(await Array.fromAsync(helia.pins.add(cid, { depth })))).toEqual(strings(expected))
    expect(strings(await Array.fromAsync(helia.pins.add(unmark(cid), { depth })))).toEqual(strings(expected))
  })

  it('exports the blocks that are below the plain CID', async () => {
    const helia = await startHelia()
    const cid = await addTree(helia)
    const [marked, plain] = await Promise.all([cid, unmark(cid)].map(async root => {
      const reader = await CarReader.fromIterable(car(helia).export(root))

      return { roots: await reader.getRoots(), cids: await Array.fromAsync(reader.cids()) }
    }))

    expect(marked.roots).toEqual([cid])
    expect(strings(marked.cids).toSorted()).toEqual(strings(plain.cids).toSorted())
  })

  it('provides a marked CID', async () => {
    const provided: CID[] = []
    const helia = await startHelia()
    const router: Router = { name: 'test', provide: async cid => { provided.push(cid) } } as Router
    const cid = await addTree(helia)

    helia.addRouter(router)
    await helia.routing.provide(cid)
    expect(provided).toEqual([cid])
  })

  it('teaches a node that runs, and twice does no harm', async () => {
    const helia = await createHeliaLight().start() as Helia
    onTestFinished(async () => { await helia.stop() })

    expect(withIpfsz(withIpfsz(helia))).toBe(helia)
    const cid = await addTree(helia)
    await Array.fromAsync(helia.pins.add(cid))
    expect(await helia.pins.isPinned(cid)).toBe(true)
  })

  it('uses the walker of the call, with codecs that know markers', async () => {
    const helia = await startHelia()
    const cid = await addTree(helia)

    expect(await Array.fromAsync(helia.pins.add(cid, { walker: rootOnly }))).toEqual([cid])
    expect(await Array.fromAsync(helia.pins.rm(cid, { walker: rootOnly }))).toEqual([cid])
  })

  it('refuses a missing block, an unknown codec and an aborted call with one error', async () => {
    const helia = await startHelia()
    const cid = await addTree(helia)
    const block = dagPb.encode(dagPb.prepare({ Links: [{ Name: 'a', Hash: MISSING, Tsize: 1 }] }))
    const parent = CID.createV1(dagPb.code, await sha256.digest(block))
    const signal = AbortSignal.abort()
    await helia.blockstore.put(parent, block)

    await expect(Array.fromAsync(helia.pins.add(parent))).rejects.toMatchObject({ name: expect.any(String) })
    await expect(Array.fromAsync(helia.pins.add(CID.createV1(0x300001, cid.multihash))))
      .rejects.toMatchObject({ name: 'UnknownCodecError' })
    await expect(Array.fromAsync(helia.pins.add(cid, { signal }))).rejects.toBe(signal.reason)
    expect(await Array.fromAsync(helia.pins.ls())).toEqual([])
  })
})
