import { unixfs } from '@helia/unixfs'
import { describe, expect, it } from 'vitest'
import { locateEntry } from '../src/index.ts'
import { decodeNode } from '../src/nodes.ts'
import { CountingBlockstore, getBlock } from './fixtures.ts'

const NAMES = Array.from({ length: 100 }, (_, i) => `file ${i}.txt`)

describe('locating an entry', () => {
  it('names the shards on the way to it, and reads no others', async () => {
    const blockstore = new CountingBlockstore()
    const fs = unixfs({ blockstore })
    let cid = await fs.addDirectory()

    for (const name of NAMES) {
      const file = await fs.addBytes(new TextEncoder().encode(name))
      cid = await fs.cp(file, cid, name, { shardSplitThresholdBytes: 1000 })
    }

    const root = decodeNode(cid, await getBlock(cid, blockstore))
    const depths = new Set<number>()
    expect(root.unixfs.type).toBe('hamt-sharded-directory')

    for (const name of NAMES) {
      blockstore.gets.length = 0
      const found = await locateEntry(root, name, blockstore)
      const file = await fs.addBytes(new TextEncoder().encode(name))

      expect(found?.cid.toString()).toBe(file.toString())
      expect(found?.shards.map(String)).toEqual(blockstore.gets)
      depths.add(found?.shards.length ?? -1)
    }

    expect([...depths].toSorted()).toEqual([0, 1, 2].slice(0, depths.size))
    expect(depths.size).toBeGreaterThan(1)
    expect(await locateEntry(root, 'none', blockstore)).toBeUndefined()
  })

  it('has no shards to name in a plain directory', async () => {
    const blockstore = new CountingBlockstore()
    const fs = unixfs({ blockstore })
    const cid = await fs.addFile({ path: 'a.txt', content: Uint8Array.of(1) })
    const node = decodeNode(cid, await getBlock(cid, blockstore))

    expect(await locateEntry(node, 'a.txt', blockstore)).toMatchObject({ shards: [] })
    expect(await locateEntry(node, 'b.txt', blockstore)).toBeUndefined()
  })

  it('refuses a name that occurs twice', async () => {
    const blockstore = new CountingBlockstore()
    const fs = unixfs({ blockstore })
    const cid = await fs.addFile({ path: 'a.txt', content: Uint8Array.of(1) })
    const node = decodeNode(cid, await getBlock(cid, blockstore))
    const [link] = node.links
    node.links.named = () => [link, link]

    await expect(locateEntry(node, 'a.txt', blockstore)).rejects.toMatchObject({ name: 'InvalidDagError' })
  })
})
