import { describe, expect, it } from 'vitest'
import { MAX_CACHED_CONTENT_SIZE, MAX_CACHED_CONTENTS_SIZE, MAX_CACHED_ROOTS } from '../src/constants.ts'
import { decodeNode } from '../src/dag/node.ts'
import { ipfsz, MARKERS, mark, unmark } from '../src/index.ts'
import { RootCache } from '../src/read/root-cache.ts'
import { collect, CountingBlockstore, FRAME, getBlock, stored, text } from './fixtures.ts'
import { addTree } from './trees.ts'
import type { CachedRoot } from '../src/read/root-cache.ts'

describe('cached contents', () => {
  it('are bounded, and those used last stay', () => {
    const cids = Array.from({ length: 12 }, (_, i) => `cid ${i}`)
    const cache = new RootCache().contents
    const content = new Uint8Array(MAX_CACHED_CONTENT_SIZE)

    for (const cid of cids) {
      cache.set(cid, content)
      // twice is once
      cache.set(cid, content)
      cache.get(cids[0])
    }

    const kept = cids.map(cid => cache.get(cid) != null)
    expect(kept.filter(Boolean)).toHaveLength(MAX_CACHED_CONTENTS_SIZE / MAX_CACHED_CONTENT_SIZE)
    expect([kept[0], kept[1], kept[11]]).toEqual([true, false, true])
  })
})

describe('cached roots', () => {
  it('are not fetched again by cat, stat or ls, whatever the order of ranges', async () => {
    const { blockstore, cid, bytes } = await stored(2_000_000)
    const fs = ipfsz({ blockstore })
    blockstore.gets.length = 0

    for (const offset of [1_900_000, 1_000_000, 10, 1_000_000]) {
      expect(
        Buffer.compare(await collect(fs.cat(cid, { offset, length: 4096 })), bytes.subarray(offset, offset + 4096))
      ).toBe(0)
    }

    await fs.stat(cid)
    await Array.fromAsync(fs.ls(cid))
    await collect(fs.cat(unmark(cid), { length: 10 }))
    expect(blockstore.gets.filter(get => get === unmark(cid).toString())).toHaveLength(1)
  })

  it('in a tree are not fetched again, nor the directories above them', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const tree = await addTree(fs, { 'a/b/c.txt': text(2_000_000) })
    const ranges = [1_900_000, 1_000_000, 10].map(offset => ({ path: 'a/b/c.txt', offset, length: 4096 }))
    await collect(fs.cat(tree, ranges[0]))
    blockstore.gets.length = 0

    for (const range of ranges) {
      expect(
        Buffer.compare(await collect(fs.cat(tree, range)), text(2_000_000).subarray(range.offset, range.offset + 4096))
      ).toBe(0)
    }

    // one leaf for each range, and nothing else
    expect(blockstore.gets).toHaveLength(ranges.length)
    await expect(collect(fs.cat(tree, { path: 'a/b/d.txt' }))).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('include the directories above other files, except for verify', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const tree = await addTree(fs, { 'a/b/c.txt': text(1000), 'a/b/d.txt': text(1000, 2), 'a/e.txt': text(1000, 3) })
    await collect(fs.cat(tree, { path: 'a/b/c.txt' }))
    blockstore.gets.length = 0
    await collect(fs.cat(tree, { path: 'a/b/d.txt' }))
    await collect(fs.cat(tree, { path: 'a/e.txt' }))
    expect(blockstore.gets).toHaveLength(2)
    await expect(collect(fs.cat(tree, { path: 'a/b/f.txt' }))).rejects.toMatchObject({ name: 'NotFoundError' })

    blockstore.gets.length = 0
    await fs.verify(tree, { path: 'a/e.txt' })
    expect(blockstore.gets).toContain(unmark(tree).toString())
  })

  it('are not returned if the signal is aborted', async () => {
    const { blockstore, cid } = await stored()
    const fs = ipfsz({ blockstore })
    await fs.stat(cid)

    await expect(fs.stat(cid, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('are still checked against the marker of the CID', async () => {
    const { blockstore, cid } = await stored()
    const fs = ipfsz({ blockstore })
    await fs.stat(cid)

    await expect(
      fs.stat(mark(unmark(cid), MARKERS.gzip))
    ).rejects.toMatchObject({ name: 'InvalidHeaderError', rule: 'codec' })
    expect((await fs.stat(unmark(cid))).codec).toBe('none')
    expect((await fs.stat(cid)).codec).toBe('zstd')
  })

  it('are fetched again by verify', async () => {
    const { blockstore, cid } = await stored()
    const fs = ipfsz({ blockstore })
    await fs.stat(cid)
    blockstore.gets.length = 0
    await fs.verify(cid)
    expect(blockstore.gets).toContain(unmark(cid).toString())
  })

  it('are limited in number and size, but the last one is always kept', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const roots: CachedRoot[] = []

    for (let i = 0; i < MAX_CACHED_ROOTS + 2; i++) {
      const cid = unmark(await fs.addBytes(text(1000, i + 1)))
      const block = await getBlock(cid, blockstore)
      roots.push({ block, node: decodeNode(cid, block) })
    }

    const cache = new RootCache()
    roots.slice(0, MAX_CACHED_ROOTS).forEach(root => { cache.set(root) })
    expect(cache.get(roots[0].node.cid)).toBe(roots[0])
    roots.slice(MAX_CACHED_ROOTS).forEach(root => { cache.set(root) })

    // the root that was just used stays, unused ones are dropped
    expect(cache.get(roots[0].node.cid)).toBe(roots[0])
    expect(cache.get(roots[1].node.cid)).toBeUndefined()

    const large = {
      ...roots[1],
      header: { codec: 0, size: 0, frameSize: FRAME, frameLengths: { length: 2_000_000 } as number[] }
    }
    cache.set(large)
    expect(cache.get(roots[1].node.cid)).toBe(large)
    expect(cache.get(roots[0].node.cid)).toBeUndefined()
  })

  it('are decoded once they are needed, if they were only written', async () => {
    const blockstore = new CountingBlockstore()
    const cid = unmark(await ipfsz({ blockstore }).addBytes(text(1000)))
    const block = await getBlock(cid, blockstore)
    const cache = new RootCache()
    cache.setWritten(cid, block)
    const root = cache.get(cid)

    expect(root).toEqual({ block, node: decodeNode(cid, block) })
    expect(cache.get(cid)).toBe(root)
  })
})
