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

/** A file of 150 leaves of 1 KiB, in a store that records which blocks are read. */
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
  ])('fetches a whole file if only its first block is read: blockReadConcurrency %s', async blockReadConcurrency => {
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

  it('fetches one block too many for a range that ends with a block', async () => {
    const { read, root, blockstore } = await makeFile()
    const file = await exporter(root, blockstore)

    if (!('content' in file)) {
      throw new Error('not a file')
    }

    for await (const _ of file.content({ offset: 0, length: LEAF })) {
      // read to the end
    }

    // the root, the leaf of the range, and one more
    expect(read.size, mended('ipfs-unixfs-exporter', OURS)).toBe(3)
  })

  it('resolves a path below a file to the file', async () => {
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
