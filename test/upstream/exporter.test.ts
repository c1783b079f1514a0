import { setImmediate } from 'node:timers/promises'
import { MemoryBlockstore } from 'blockstore-core'
import { exporter } from 'ipfs-unixfs-exporter'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { describe, expect, it } from 'vitest'
import { mended } from './installed.ts'
import type { CID } from 'multiformats/cid'

const OURS = 'packages/core/src/dag/read.ts'
const LEAF = 1024
const LEAVES = 150

/** A file of 150 leaves of 1 KiB, in a store that counts which blocks are read. */
async function makeFile (): Promise<{ read: Set<string>, root: CID, blockstore: MemoryBlockstore }> {
  const blockstore = new MemoryBlockstore()
  const content = Uint8Array.from({ length: LEAF * LEAVES }, (_, i) => i / LEAF)
  let root: CID | undefined

  for await (const { cid } of importer([{ content }], blockstore, { chunker: fixedSize({ chunkSize: LEAF }) })) {
    root = cid
  }

  if (root == null) {
    throw new Error('nothing was imported')
  }

  const read = new Set<string>()
  const get = blockstore.get.bind(blockstore)
  blockstore.get = (cid, options) => {
    read.add(cid.toString())

    return get(cid, options)
  }

  return { read, root, blockstore }
}

describe('ipfs-unixfs-exporter', () => {
  it.each([
    undefined,
    8
  ])('fetches a whole file though only its first block is taken: %s at a time', async blockReadConcurrency => {
    const { read, root, blockstore } = await makeFile()
    const file = await exporter(root, blockstore)

    if (!('content' in file)) {
      throw new Error('not a file')
    }

    const options = blockReadConcurrency == null ? {} : { blockReadConcurrency }
    const content = file.content(options)[Symbol.asyncIterator]()
    await content.next()

    for (let i = 0; i < 1000; i++) {
      await setImmediate()
    }

    // the root and every leaf; ours reads 8 ahead
    expect(read.size, mended('ipfs-unixfs-exporter', OURS)).toBe(LEAVES + 1)
    await content.return?.()
  })

  it('fetches the block behind a range that ends with a block', async () => {
    const { read, root, blockstore } = await makeFile()
    const file = await exporter(root, blockstore)

    if (!('content' in file)) {
      throw new Error('not a file')
    }

    for await (const _ of file.content({ offset: 0, length: LEAF })) {
      // all of it
    }

    // the root, the leaf that was asked for, and one more
    expect(read.size, mended('ipfs-unixfs-exporter', OURS)).toBe(3)
  })

  it('takes a file for what a path below it leads to', async () => {
    const blockstore = new MemoryBlockstore()
    const files = [{ path: 'a.txt', content: new Uint8Array([1]) }]
    let root: CID | undefined

    for await (const { cid } of importer(files, blockstore, { wrapWithDirectory: true, rawLeaves: false })) {
      root = cid
    }

    const { path } = await exporter(`/ipfs/${root}/a.txt/below`, blockstore)

    expect(path, mended('ipfs-unixfs-exporter', 'packages/core/src/read/path.ts')).toBe(`${root}/a.txt`)
  })
})
