import { exporter } from 'ipfs-unixfs-exporter'
import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced, flat, trickle } from 'ipfs-unixfs-importer/layout'
import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { coalescingBlockstore } from '../src/dag/block.ts'
import { decodeNode } from '../src/dag/node.ts'
import { readRange } from '../src/dag/read.ts'
import { writeLeaves, writeRoot } from '../src/dag/write.ts'
import { chunked, collect, CountingBlockstore, getBlock, text } from './fixtures.ts'
import type { FileNode } from '../src/dag/node.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'

async function load (cid: CID, blockstore: CountingBlockstore): Promise<FileNode> {
  return decodeNode(cid, await getBlock(cid, blockstore))
}

async function put (node: dagPb.PBNode, blockstore: CountingBlockstore): Promise<CID> {
  const block = dagPb.encode(node)
  const cid = CID.createV1(dagPb.code, await sha256.digest(block))
  await blockstore.put(cid, block)

  return cid
}

describe('writing a DAG', () => {
  // a node has 1,024 links: the 1,025th leaf begins a second level
  it.each([1, 2, 1023, 1024, 1025, 2048, 2049])('matches ipfs-unixfs-importer for %d leaves', async (count) => {
    const bytes = text(count * 3)
    const blockstore = new CountingBlockstore()
    const links = await Array.fromAsync(writeLeaves(chunked(bytes, 3), blockstore, {}))
    // the importer repeats the metadata in every inner node
    const metadata = count <= 1024 ? { mode: 0o600, mtime: { secs: 5n, nsecs: 6 } } : {}
    const written = await writeRoot({ links }, metadata, blockstore, {})

    const imported = await importFile({ content: bytes, ...metadata }, new CountingBlockstore(), {
      cidVersion: 1,
      rawLeaves: true,
      reduceSingleLeafToSelf: false,
      chunker: fixedSize({ chunkSize: 3 }),
      layout: balanced({ maxChildrenPerNode: 1024 })
    })

    expect(written.cid.toString()).toBe(imported.cid.toString())
    expect(BigInt(written.dagSize)).toBe(imported.size)
  })

  it('writes equal leaves once while they are in flight', async () => {
    let puts = 0
    const slow = {
      put: async (cid: CID): Promise<CID> => {
        puts++
        await new Promise(resolve => { setImmediate(resolve) })

        return cid
      }
    }
    const links = await Array.fromAsync(writeLeaves(chunked(new Uint8Array(80), 10), coalescingBlockstore(slow), {}))

    expect(new Set(links.map(link => link.cid.toString())).size).toBe(1)
    expect(links).toHaveLength(8)
    expect(puts).toBe(1)
  })

  it('rejects with the error of the blockstore, and closes the source of the leaves', async () => {
    const error = new Error('full')
    let closed = false
    const leaves = (async function * () {
      try {
        yield * chunked(text(1000), 10)
      } finally {
        closed = true
      }
    })()

    await expect(Array.fromAsync(writeLeaves(leaves, { put: async () => { throw error } }, {}))).rejects.toBe(error)
    await new Promise(resolve => { setImmediate(resolve) })
    expect(closed).toBe(true)
  })

  it('writes nothing any more once it has failed', async () => {
    const error = new Error('the disk is full')
    const blockstore = new CountingBlockstore()
    let puts = 0
    let running = 0

    const failing = {
      async put (...[cid, block]: Parameters<CountingBlockstore['put']>): Promise<CID> {
        const isFirst = ++puts === 1
        running++
        await new Promise(resolve => { setTimeout(resolve, isFirst ? 1 : 20) })
        running--

        if (isFirst) {
          throw error
        }

        return blockstore.put(cid, block)
      }
    }

    await expect(Array.fromAsync(writeLeaves(chunked(text(400), 10), failing, {}))).rejects.toBe(error)
    expect(puts).toBeGreaterThan(1)
    expect(running).toBe(0)
  })
})

describe('reading a DAG', () => {
  const bytes = text(20_000)
  const shapes: Array<[string, ImporterOptions]> = [
    ['balanced, raw leaves', { rawLeaves: true, layout: balanced({ maxChildrenPerNode: 5 }) }],
    ['balanced, UnixFS leaves', { rawLeaves: false, layout: balanced({ maxChildrenPerNode: 5 }) }],
    ['flat', { rawLeaves: true, layout: flat() }],
    [
      'trickle, UnixFS leaves of type raw',
      { rawLeaves: false, leafType: 'raw', reduceSingleLeafToSelf: false, layout: trickle({ maxChildrenPerNode: 4 }) }
    ],
    ['CIDv0', { cidVersion: 0, rawLeaves: false, layout: balanced({ maxChildrenPerNode: 7 }) }],
    [
      'one leaf below a root',
      { rawLeaves: true, reduceSingleLeafToSelf: false, chunker: fixedSize({ chunkSize: 30_000 }) }
    ],
    ['one dag-pb block', { rawLeaves: false, chunker: fixedSize({ chunkSize: 30_000 }) }]
  ]

  it.each(shapes)('returns the same bytes as ipfs-unixfs-exporter: %s', async (_, options) => {
    const blockstore = new CountingBlockstore()
    const { cid } = await importFile(
      { content: bytes },
      blockstore,
      { chunker: fixedSize({ chunkSize: 256 }), ...options }
    )
    const node = await load(cid, blockstore)
    const entry = await exporter(cid, blockstore)

    if (entry.type !== 'file') {
      throw new Error('not a file')
    }

    await fc.assert(fc.asyncProperty(fc.nat(bytes.byteLength), fc.nat(bytes.byteLength), async (a, b) => {
      const start = Math.min(a, b)
      const end = Math.max(a, b)
      const read = await collect(readRange(node, { start, end }, blockstore, { blockReadConcurrency: 3 }))

      expect(Buffer.compare(read, bytes.subarray(start, end))).toBe(0)
      expect(Buffer.compare(read, await collect(entry.content({ offset: start, length: end - start })))).toBe(0)
    }), { numRuns: 40 })
  })

  it('fetches only the blocks that hold the range', async () => {
    const blockstore = new CountingBlockstore()
    const { cid } = await importFile(
      { content: bytes },
      blockstore,
      { rawLeaves: true, chunker: fixedSize({ chunkSize: 1000 }) }
    )
    const node = await load(cid, blockstore)

    for (const [start, end, blocks] of [
      [0, 1000, 1],
      [999, 1001, 2],
      [1000, 2000, 1],
      [5500, 5501, 1],
      [0, 0, 0],
      [19_999, 20_000, 1]
    ]) {
      blockstore.gets.length = 0
      await collect(readRange(node, { start, end }, blockstore, {}))
      expect(blockstore.gets, `${start} to ${end}`).toHaveLength(blocks)
    }
  })

  it('reads no further ahead than blockReadConcurrency', async () => {
    const blockstore = new CountingBlockstore()
    const { cid } = await importFile(
      { content: bytes },
      blockstore,
      { rawLeaves: true, chunker: fixedSize({ chunkSize: 100 }) }
    )
    const node = await load(cid, blockstore)
    blockstore.gets.length = 0

    const read = readRange(node, { start: 0, end: bytes.byteLength }, blockstore, { blockReadConcurrency: 4 })
    await read.next()
    await new Promise(resolve => { setTimeout(resolve, 20) })
    // both nodes below the root, the leaf that was taken, and four leaves ahead
    expect(blockstore.gets.length).toBeLessThanOrEqual(7)
    await read.return(undefined)
  })

  it('refuses a block that does not match its CID', async () => {
    const blockstore = new CountingBlockstore()
    const { cid } = await importFile(
      { content: bytes },
      blockstore,
      { rawLeaves: true, chunker: fixedSize({ chunkSize: 1000 }) }
    )
    const node = await load(cid, blockstore)
    const damaged = node.links.at(3).Hash
    const block = (await getBlock(damaged, blockstore)).slice()
    block[500] ^= 4
    await blockstore.put(damaged, block)

    await expect(
      collect(readRange(node, { start: 0, end: 20_000 }, blockstore, {}))
    ).rejects.toMatchObject({ name: 'CorruptBlockError', cid: damaged })
  })

  it('refuses a leaf that is longer or shorter than its parent states', async () => {
    for (const size of [9n, 11n]) {
      const blockstore = new CountingBlockstore()
      const [leaf] = await Array.fromAsync(writeLeaves(chunked(text(10), 10), blockstore, {}))
      const root = await put(dagPb.prepare({
        Data: new UnixFS({ type: 'file', blockSizes: [size] }).marshal(),
        Links: [{ Hash: leaf.cid, Tsize: 10, Name: '' }]
      }), blockstore)

      await expect(collect(readRange(await load(root, blockstore), { start: 0, end: Number(size) }, blockstore, {})))
        .rejects.toMatchObject({ name: 'InvalidDagError' })
    }
  })

  it('refuses a node with fewer sizes than links, and a leaf of a codec that a file cannot have', async () => {
    const blockstore = new CountingBlockstore()
    const [leaf] = await Array.fromAsync(writeLeaves(chunked(text(10), 10), blockstore, {}))
    const other = CID.createV1(0x71, leaf.cid.multihash)

    for (const [hash, blockSizes] of [[leaf.cid, []], [other, [10n]]] as const) {
      const root = await put(dagPb.prepare({
        Data: new UnixFS({ type: 'file', blockSizes: [...blockSizes] }).marshal(),
        Links: [{ Hash: hash, Tsize: 10, Name: '' }]
      }), blockstore)

      await expect(collect(readRange(await load(root, blockstore), { start: 0, end: 10 }, blockstore, {})))
        .rejects.toMatchObject({ name: 'InvalidDagError' })
    }
  })

  it('refuses a DAG that is too deep', async () => {
    const blockstore = new CountingBlockstore()
    const [leaf] = await Array.fromAsync(writeLeaves(chunked(text(10), 10), blockstore, {}))
    let { cid } = leaf

    for (let depth = 0; depth < 70; depth++) {
      cid = await put(dagPb.prepare({
        Data: new UnixFS({ type: 'file', blockSizes: [10n] }).marshal(),
        Links: [{ Hash: cid, Tsize: 10, Name: '' }]
      }), blockstore)
    }

    await expect(collect(readRange(await load(cid, blockstore), { start: 0, end: 10 }, blockstore, {})))
      .rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('ends if the signal aborts, even if the blockstore ignores it', async () => {
    const blockstore = new CountingBlockstore()
    const { cid } = await importFile(
      { content: bytes },
      blockstore,
      { rawLeaves: true, chunker: fixedSize({ chunkSize: 1000 }) }
    )
    const node = await load(cid, blockstore)
    const controller = new AbortController()
    const stalling = { get: async function * () { yield await new Promise<Uint8Array>(() => {}) } }
    const reading = collect(readRange(node, { start: 0, end: 20_000 }, stalling, { signal: controller.signal }))

    controller.abort()
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
  })
})
