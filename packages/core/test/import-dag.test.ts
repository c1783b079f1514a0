import { UnixFS } from 'ipfs-unixfs'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { isMarked, TREE_CODE, unmark } from '../src/index.ts'
import { importDag } from '../src/originals/index.ts'
import { CountingBlockstore, noise, putNode, text } from './fixtures.ts'
import { allBlocks, blockOf, imported, makeShelf, missing } from './original-fixtures.ts'
import type { ImportedFile } from '../src/originals/index.ts'
import type { Shelf } from './original-fixtures.ts'
import type { Blockstore } from 'interface-blockstore'

const KIB = 1024

interface Settings {
  cidVersion?: 0 | 1
  rawLeaves?: boolean
  chunkSize?: number
  shardSplitThresholdBytes?: number
}

/** What `ipfs add -r` makes by default. */
async function addLikeKubo (
  files: Readonly<Record<string, Uint8Array>>,
  { cidVersion = 0, rawLeaves = false, chunkSize = 256 * KIB, ...rest }: Settings = {}
): Promise<{ source: CountingBlockstore, root: CID }> {
  const source = new CountingBlockstore()
  let root: CID | undefined

  for await (const { cid } of importer(
    Object.entries(files).map(([path, content]) => ({ path, content })),
    source as unknown as Blockstore,
    {
      cidVersion,
      rawLeaves,
      wrapWithDirectory: true,
      reduceSingleLeafToSelf: true,
      chunker: fixedSize({ chunkSize }),
      layout: balanced({ maxChildrenPerNode: 174 }),
      ...rest
    }
  )) {
    root = cid
  }

  return { source, root: root as CID }
}

const FILES = {
  'a.txt': text(700 * KIB),
  'small.txt': text(10 * KIB, 2),
  noise: noise(300 * KIB),
  empty: new Uint8Array(0),
  'sub/again.txt': text(700 * KIB),
  'sub/b.txt': text(300 * KIB, 3),
  'only-noise/x': noise(1000, 4)
}

/** Import, and expect that the derived store has all blocks of the source. */
async function importAll (shelf: Shelf, root: CID, source: CountingBlockstore): Promise<{
  imported: Awaited<ReturnType<typeof importDag>>
  files: ImportedFile[]
}> {
  const files: ImportedFile[] = []
  const { blockstore, links, datastore } = shelf
  const imported = await importDag(root, source, { blockstore, links, datastore }, {
    onFile: file => { files.push(file) }
  })

  expect(await missing(await allBlocks(source), shelf.derived)).toEqual([])

  return { imported, files }
}

describe('importDag', () => {
  it.each([
    ['of ipfs add', {}],
    ['of ipfs add --cid-version=1', { cidVersion: 1 as const, rawLeaves: true }],
    ['with sharded directories', { shardSplitThresholdBytes: 1 }]
  ])('compresses a tree %s, and every block of it can be derived', async (_, settings) => {
    const { source, root } = await addLikeKubo(FILES, settings)
    const shelf = makeShelf()
    const { imported: { cid, ...counts }, files } = await importAll(shelf, root, source)

    expect(cid.code).toBe(TREE_CODE)
    expect(counts).toEqual({ compressed: 4, unknown: 0, plain: 3 })
    expect(files.filter(({ compressed }) => compressed != null)).toHaveLength(3)
    // it is read like any other tree
    expect(await shelf.fs.verify(cid)).toMatchObject({ files: 7 })
    // the originals of compressed files are stored nowhere
    expect(await shelf.blockstore.has(root)).toBe(false)
    const stored = (await allBlocks(shelf.blockstore)).reduce((size, { bytes }) => size + bytes.byteLength, 0)
    expect(stored).toBeLessThan(900 * KIB)

    // and once more, without compressing anything
    shelf.blockstore.puts.length = 0
    const again = await importAll(shelf, root, source)
    expect(again.imported.cid).toEqual(cid)
    expect(again.files.filter(({ compressed }) => compressed != null)).toEqual([])
  })

  it.each([
    'unixfs-v1-2025', 'unixfs-v0-2015', 'kubo-cid-v1'
  ])('compresses a single file with the layout %s', async layout => {
    for (const size of [100 * KIB, 600 * KIB]) {
      const bytes = text(size)
      const { root, blocks } = await imported(bytes, layout)
      const source = new CountingBlockstore()
      await Promise.all(blocks.map(async ({ cid, bytes }) => source.put(cid, bytes)))
      const shelf = makeShelf()
      const { imported: { cid } } = await importAll(shelf, root, source)

      expect(isMarked(cid)).toBe(true)
      expect(await shelf.blockstore.has(root)).toBe(false)
      expect(await shelf.fs.stat(cid)).toMatchObject({ size: BigInt(size) })
    }
  })

  it('copies a file as it is whose settings are unknown, or that has metadata', async () => {
    const cut = await addLikeKubo({ 'a.txt': text(200 * KIB) }, { chunkSize: 10_000 })
    const source = new CountingBlockstore()
    const unixfs = new UnixFS({ type: 'file', data: text(1000), mode: 0o755 })
    const withMode = { source, root: await putNode({ Data: unixfs.marshal(), Links: [] }, source) }

    for (const { source, root } of [cut, withMode]) {
      const shelf = makeShelf()
      const { imported, files } = await importAll(shelf, root, source)

      expect(imported).toEqual({ cid: root, compressed: 0, unknown: 1, plain: 0 })
      expect(files).toMatchObject([{ reason: 'unknown settings' }])
      expect(await missing(await allBlocks(source), shelf.blockstore)).toEqual([])
    }
  })

  it('goes on where it was killed', async () => {
    const { source, root } = await addLikeKubo(FILES)
    const { cid: expected } = (await importAll(makeShelf(), root, source)).imported

    for (let puts = 1; puts < 12; puts += 3) {
      const shelf = makeShelf()
      const { blockstore, links, datastore, originals } = shelf
      let left = puts
      const mortal = {
        get: blockstore.get.bind(blockstore),
        has: blockstore.has.bind(blockstore),
        put: async (...args: Parameters<Blockstore['put']>) => {
          if (left-- <= 0) {
            throw new Error('killed')
          }

          return blockstore.put(...args)
        }
      }

      await expect(importDag(root, source, { blockstore: mortal, links, datastore })).rejects.toThrow('killed')

      for await (const { original } of originals.list()) {
        expect(await shelf.derived.has(original)).toBe(true)
      }

      expect((await importAll(shelf, root, source)).imported.cid).toEqual(expected)
    }
  })

  it('refuses blocks that do not match their CIDs, and what is not UnixFS', async () => {
    const { source, root } = await addLikeKubo({ 'a.txt': text(10_000) })
    const { blockstore, links, datastore } = makeShelf()
    const [{ Hash }] = dagPb.decode(await blockOf(root, source)).Links
    await source.put(Hash, new Uint8Array(10))
    await expect(importDag(root, source, { blockstore, links, datastore })).rejects
      .toMatchObject({ name: 'CorruptBlockError' })

    const cbor = CID.createV1(0x71, await sha256.digest(new Uint8Array(1)))
    await expect(importDag(cbor, source, { blockstore, links, datastore })).rejects
      .toMatchObject({ name: 'NotUnixFSError' })
    expect(await blockstore.has(unmark(root))).toBe(false)
  })
})
