import { MemoryBlockstore } from 'blockstore-core'
import { decode } from 'cborg'
import { MemoryDatastore } from 'datastore-core'
import { createHeliaLight } from 'helia'
import { Key } from 'interface-datastore'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import * as dagPb from '@ipld/dag-pb'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mended } from './installed.ts'
import type { Helia } from 'helia'

const OURS = 'packages/node/src/repo/pin-records.ts'

async function startHelia (): Promise<{ helia: Helia, datastore: MemoryDatastore }> {
  const datastore = new MemoryDatastore()
  const helia = createHeliaLight({ blockstore: new MemoryBlockstore(), datastore })

  onTestFinished(async () => { await helia.stop() })
  await helia.start()

  return { helia: helia as Helia, datastore }
}

async function putRaw (helia: Helia, value: number): Promise<CID> {
  const bytes = new Uint8Array([value])
  const cid = CID.createV1(raw.code, await sha256.digest(bytes))

  await helia.blockstore.put(cid, bytes)

  return cid
}

/** Store a node with one link. */
async function putParent (helia: Helia, child: CID, name: string): Promise<CID> {
  const bytes = dagPb.encode(dagPb.prepare({ Links: [{ Name: name, Hash: child, Tsize: 1 }] }))
  const cid = CID.createV1(dagPb.code, await sha256.digest(bytes))

  await helia.blockstore.put(cid, bytes)

  return cid
}

async function drain (values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values) {
    // only for its effect
  }
}

describe('the pins of helia', () => {
  it('end a listing at the first damaged record', async () => {
    const { helia, datastore } = await startHelia()
    const cids = await Promise.all([1, 2, 3].map(async value => putRaw(helia, value)))

    for (const cid of cids) {
      await drain(helia.pins.add(cid))
    }

    // what a power cut can leave
    await datastore.put(new Key(`/pin/${cids[0].toString(base36)}`), new Uint8Array(0))

    await expect(drain(helia.pins.ls()), mended('helia', OURS)).rejects.toThrow()
  })

  it('keep the removed pin in the pinnedBy of a block, and drop the others', async () => {
    const { helia, datastore } = await startHelia()
    const leaf = await putRaw(helia, 1)
    const [a, b] = [await putParent(helia, leaf, 'a'), await putParent(helia, leaf, 'b')]

    await drain(helia.pins.add(a))
    await drain(helia.pins.add(b))
    await drain(helia.pins.rm(a))

    const record = await datastore.get(new Key(`/pinned-block/${base36.encode(leaf.multihash.bytes)}`))
    const { pinCount, pinnedBy } = decode(record) as { pinCount: number, pinnedBy: Uint8Array[] }

    // it should be [b]
    expect({ pinCount, pinnedBy: pinnedBy.map(bytes => CID.decode(bytes).toString()) }, mended('helia', OURS))
      .toEqual({ pinCount: 1, pinnedBy: [a.toString()] })
  })

  it('count a block as not pinned though a pin still needs it', async () => {
    const { helia } = await startHelia()
    const leaf = await putRaw(helia, 1)
    const [a, b] = [await putParent(helia, leaf, 'a'), await putParent(helia, leaf, 'b')]

    await drain(helia.pins.add(a))
    await drain(helia.pins.add(b))
    await drain(helia.pins.rm(a))
    await drain(helia.pins.add(a))
    await drain(helia.pins.rm(b))

    // the leaf is below a, which is pinned
    expect(await helia.pins.isPinned(a)).toBe(true)
    expect(await helia.pins.isPinned(leaf), mended('helia', OURS)).toBe(false)
  })
})
