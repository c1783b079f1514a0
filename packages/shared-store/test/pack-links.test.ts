import * as dagPb from '@ipld/dag-pb'
import { encodeWholePack, encodeWith } from '@ipfsz/blockstore-packed/whole'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import { encodeLinks, partOfLinks } from '../src/packs/pack-links.ts'
import { newPackId, NO_SESSION, packKey } from '../src/packs/pack-keys.ts'
import { PackStorage } from '../src/packs/pack-storage.ts'
import type { PlainBlock } from '@ipfsz/blockstore-packed/whole'
import type { StoreOperation } from '../../../test/support/memory-objects.ts'

type Hasher = typeof sha256 | typeof sha512

async function block (bytes: Uint8Array, code: number = raw.code, hasher: Hasher = sha256): Promise<PlainBlock> {
  return { cid: CID.createV1(code, await hasher.digest(bytes)), bytes }
}

async function node (links: readonly CID[], code: number = dagPb.code, hasher?: Hasher): Promise<PlainBlock> {
  const Links = links.map(Hash => ({ Hash, Name: '', Tsize: 1 }))

  return block(dagPb.encode({ Data: new Uint8Array([8, 1]), Links }), code, hasher)
}

/** Blocks of which some link to others. */
async function someBlocks (): Promise<PlainBlock[]> {
  const leaf = await block(new Uint8Array([1, 2, 3]))
  const empty = await node([], dagPb.code)
  const file = await node([leaf.cid, empty.cid, leaf.cid])

  return [leaf, empty, file, await node([file.cid], dagPb.code, sha512), await node([leaf.cid, file.cid], raw.code)]
}

async function stored (blocks: readonly PlainBlock[], change = (pack: Buffer): Uint8Array => pack): Promise<{
  storage: PackStorage
  operations: StoreOperation[]
}> {
  const operations: StoreOperation[] = []
  const objects = new MemoryObjects({ before: async operation => { operations.push(operation) } })
  const { writer } = new PackStorage({ objects })

  for (const { cid, bytes } of blocks) {
    await writer.put(cid, bytes)
  }

  await writer.sync()
  const [[key, { bytes }]] = objects.objects
  await objects.put(key, change(Buffer.from(bytes)))
  const storage = new PackStorage({ objects })
  await storage.catalog.refresh()
  operations.length = 0

  return { storage, operations }
}

describe('what the blocks of a pack link to', () => {
  it('is known of all of them with one request, whatever their codecs and hashes', async () => {
    const blocks = await someBlocks()
    const { storage, operations } = await stored(blocks)
    const [leaf, empty, file] = blocks.map(({ cid }) => String(cid))
    const known = await Promise.all(blocks.map(async ({ cid }) => (await storage.links.of(cid))?.map(String)))

    expect(known).toEqual([[], [], [leaf, empty, leaf], [file], [leaf, file]])
    expect(operations).toHaveLength(1)
    await expect(storage.links.of((await block(new Uint8Array(9))).cid)).resolves.toBeUndefined()
  })

  it.each([
    [true, [1, 3, 3]],
    [false, [1, 2, 3]]
  ])('is read of all other packs at the same time once a walk needs a second one: %s', async (isOfMany, requests) => {
    const { storage, operations } = await stored(await someBlocks())
    const nodes = await Promise.all(['a', 'b'].map(async text => node([(await block(Buffer.from(text))).cid])))

    for (const { cid, bytes } of nodes) {
      await storage.writer.put(cid, bytes)
      await storage.sync()
    }

    operations.length = 0
    const counts: number[] = []

    for (const { cid } of [(await someBlocks())[2], ...nodes]) {
      expect(await storage.links.of(cid, isOfMany)).not.toEqual([])
      counts.push(operations.length)
    }

    expect(counts).toEqual(requests)
  })

  it('is read with two requests if it is long', async () => {
    const leaves = await Promise.all(Array.from({ length: 3000 }, async (_, i) => block(Buffer.from(`leaf ${i}`))))
    const all = await Promise.all([1, 2, 3].map(async n => node(leaves.slice(n).map(({ cid }) => cid))))
    const { storage, operations } = await stored(all)

    expect((await storage.links.of(all[2].cid))?.map(String)).toEqual(leaves.slice(3).map(({ cid }) => String(cid)))
    expect(operations).toHaveLength(2)
  })

  it('is unknown of a block that claims to be dag-pb and is not: a reader is to see it', async () => {
    const good = await node([])
    const bad = await block(new Uint8Array([255, 255]), dagPb.code)
    const { storage } = await stored([good, bad])

    await expect(storage.links.of(bad.cid)).resolves.toBeUndefined()
    await expect(storage.links.of(good.cid)).resolves.toEqual([])
  })

  it.each([
    ['a bit of it is wrong', (pack: Buffer, at: number) => {
      pack[at + 20] ^= 1

      return pack
    }],
    ['the pack ends in it', (pack: Buffer, at: number) => pack.subarray(0, at + 30)],
    ['the pack ends before it', (pack: Buffer, at: number) => pack.subarray(0, at)]
  ])('is unknown if %s, which is looked for once', async (_, damage) => {
    const blocks = await someBlocks()
    const { storage, operations } = await stored(blocks, pack => damage(pack, pack.indexOf('522a4d18', 'hex')))

    for (const { cid } of blocks) {
      await expect(storage.links.of(cid)).resolves.toBeUndefined()
    }

    expect(operations.length).toBeLessThan(3)
  })

  it('is unknown of packs without it, which nodes of before have stored', async () => {
    const blocks = await someBlocks()
    const objects = new MemoryObjects()
    const id = newPackId()
    const encoded = await encodeWith(bytes => bytes, 3, blocks)
    expect(partOfLinks([encoded, { ...encoded, links: encodeLinks(blocks) }])).toEqual([])
    await objects.put(packKey(id, NO_SESSION), encodeWholePack(id, [encoded]))
    const storage = new PackStorage({ objects })
    await storage.catalog.refresh()

    await expect(storage.links.of(blocks[2].cid)).resolves.toBeUndefined()
  })
})
