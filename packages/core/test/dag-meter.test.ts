import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { DagMeter, ipfsz, mark, TREE_CODE, unmark } from '../src/index.ts'
import { CountingBlockstore, noise, text } from './fixtures.ts'
import type { PBLink } from '@ipld/dag-pb'

const BASE = noise(300_000)

/** A file that refers back to another one. */
async function based (fs: ReturnType<typeof ipfsz>, base: CID, seed: number): Promise<CID> {
  return fs.addBytes(Buffer.concat([BASE, text(5000, seed)]), { compression: { base } })
}

async function directory (
  blockstore: CountingBlockstore,
  entries: Array<[string, CID]>,
  Data = new UnixFS({ type: 'directory' }).marshal()
): Promise<CID> {
  const Links = entries.map(([Name, cid]): PBLink => ({ Name, Hash: unmark(cid), Tsize: 1 }))
  const block = dagPb.encode(dagPb.prepare({ Data, Links }))
  const cid = CID.createV1(dagPb.code, await sha256.digest(block))
  await blockstore.put(cid, block)

  return cid
}

describe('what files take', () => {
  it('is without a base that one file has, and with one that several have, in stat and in a meter', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const base = unmark(await fs.addBytes(BASE))
    const files = [await based(fs, base, 1), await based(fs, base, 2)]
    const [one, two] = await Promise.all(files.map(async cid => fs.stat(cid)))
    const { storedSize: baseSize = 0n } = await fs.stat(base)
    const own = [one, two].map(({ storedSize }) => Number(storedSize))

    expect(one.fetchSize).toBe((one.storedSize ?? 0n) + baseSize)
    expect(Math.max(...own)).toBeLessThan(10_000)

    const alone = mark(await directory(blockstore, [['a', files[0]], ['again', files[0]]]), TREE_CODE)
    const shared = mark(await directory(blockstore, [['a', files[0]], ['b', files[1]]]), TREE_CODE)
    const node = async (cid: CID): Promise<number> => (await blockstoreBlock(blockstore, unmark(cid))).byteLength

    expect(await fs.stat(alone, { extended: true })).toMatchObject({
      storedSize: BigInt(own[0] + await node(alone)),
      fetchSize: BigInt(own[0] + await node(alone)) + baseSize
    })
    const all = BigInt(own[0] + own[1] + await node(shared)) + baseSize
    expect(await fs.stat(shared, { extended: true })).toMatchObject({ storedSize: all, fetchSize: all })

    const meter = new DagMeter({ blockstore })
    expect(await meter.add(files[0])).toMatchObject({ storedSize: BigInt(own[0]), compressed: { files: 1 } })
    // the base is a file too once it is one
    expect(await meter.add(base)).toMatchObject({ storedSize: baseSize, size: BigInt(BASE.byteLength) })
    expect(await meter.addBases()).toMatchObject({ storedSize: 0n, blocks: 0 })
  })

  it('counts equal leaves of a file once, from the root alone too', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await fs.addBytes(new Uint8Array(5 * 1024 * 1024), { compression: { codec: 'none' } })
    const size = 1024 * 1024 + (await blockstoreBlock(blockstore, cid)).byteLength

    expect((await fs.stat(cid)).storedSize).toBe(BigInt(size))
    expect(await fs.stat(cid, { extended: true }))
      .toMatchObject({ storedSize: BigInt(size), uniqueBlocks: 2n, blocks: 6n })
  })

  it('says of a directory by its marked CID what the command says, and by its plain CID that it has a marked one',
    async () => {
      const blockstore = new CountingBlockstore()
      const fs = ipfsz({ blockstore })
      const tree = await fs.addFile({ path: 'a.txt', content: text(100_000) })
      const { storedSize, ...stats } = await fs.stat(tree, { extended: true })

      expect(stats).toMatchObject({ size: 100_000n, ratio: Number(storedSize) / 100_000, markedCid: tree })
      expect(stats.codec).toBeUndefined()
      expect((await fs.stat(unmark(tree), { extended: true })).markedCid).toEqual(tree)
      // its entries are not read
      const short = await fs.stat(tree)
      expect(short.markedCid).toEqual(tree)
      expect([short.storedSize, short.ratio, short.codec]).toEqual([undefined, undefined, undefined])
    })

  it('says that sizes are not known if a root of a file is missing, and counts what is stated', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const file = unmark(await fs.addBytes(text(100_000)))
    const tree = await directory(blockstore, [['a', file]])
    await blockstore.delete(file)

    expect(await fs.stat(tree, { extended: true, offline: true })).toMatchObject({ sizeKnown: false, uniqueBlocks: 1n })
    await expect(fs.stat(tree, { extended: true })).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('needs no block for what identity CIDs hold', async () => {
    const blockstore = new CountingBlockstore()
    const held = CID.createV1(raw.code, identity.digest(text(50)))
    const tree = await directory(blockstore, [['a', held]])

    expect(await new DagMeter({ blockstore }).add(tree)).toMatchObject({ blocks: 1, size: 50n })
  })

  it('is measured no further than it is asked for, and not where nodes are too many or too large', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const leaves = await fs.addBytes(noise(3_000_000), { compression: { codec: 'none' } })
    const limit = { extended: true, maxBlocks: 3 } as const
    await expect(fs.stat(leaves, limit)).rejects.toMatchObject({ name: 'DagTooLargeError', maxBlocks: 3 })
    expect(await fs.stat(leaves, { extended: true, maxBlocks: 4 })).toMatchObject({ uniqueBlocks: 4n })

    // missing blocks count too
    const lost = await Promise.all(Array.from({ length: 5 }, async (_, i): Promise<[string, CID]> =>
      [`${i}`, CID.createV1(dagPb.code, await sha256.digest(Uint8Array.of(i)))]))
    await expect(fs.stat(await directory(blockstore, lost), { ...limit, offline: true }))
      .rejects.toMatchObject({ name: 'DagTooLargeError' })

    // few blocks, but large ones, below each other
    let root = await directory(blockstore, [])

    for (let level = 0; level < 40; level++) {
      root = await directory(blockstore, [['x'.repeat(1_000_000), root]])
    }

    await expect(fs.stat(root, { ...limit, maxBlocks: 50 })).rejects.toMatchObject({ name: 'DagTooLargeError' })
    await expect(fs.stat(root, { extended: true })).rejects.toMatchObject({ name: 'InvalidDagError' })
  })
})

async function blockstoreBlock (blockstore: CountingBlockstore, cid: CID): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []

  for await (const chunk of blockstore.get(cid)) {
    chunks.push(chunk)
  }

  return Buffer.concat(chunks)
}
