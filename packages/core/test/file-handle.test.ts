import { unixfs } from '@helia/unixfs'
import { zstd } from '@ipfsz/codecs/zstd'
import { MemoryDatastore } from 'datastore-core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_CACHED_CONTENT_SIZE, MAX_CACHED_CONTENTS_SIZE, MAX_CACHED_ROOTS } from '../src/constants.ts'
import { ipfsz, mark, unmark } from '../src/index.ts'
import { chunked, collect, CountingBlockstore, FRAME, noise, same, stored, text } from './fixtures.ts'
import { addInGroups } from './group-fixtures.ts'
import { addTree } from './trees.ts'
import type { Ipfsz } from '../src/index.ts'

const KIB = 1024
const BYTES = text(600 * KIB)
const EDITED = BYTES.map((byte, i) => i % 5000 === 0 ? byte ^ 1 : byte)

async function * inPieces (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    yield * chunked(bytes, 32 * KIB)
  }
}

type Add = (fs: Ipfsz, blockstore: CountingBlockstore) => Promise<CID>

/** Kinds of files, their bytes, and the fewest blocks that reading them takes besides those of the bytes. */
const KINDS: Array<[string, Uint8Array, number, Add]> = [
  ['compressed', BYTES, 1, async fs => fs.addBytes(BYTES, { compression: { detect: false, frameSize: FRAME } })],
  ['cut by content', BYTES, 1, async fs => fs.addBytes(BYTES, { compression: { detect: false, cut: 'content' } })],
  ['with a base', EDITED, 3, async fs => {
    const base = await fs.addBytes(BYTES.subarray(0, 300 * KIB), { compression: { detect: false, frameSize: FRAME } })

    return fs.addBytes(EDITED, { compression: { detect: false, frameSize: FRAME, base } })
  }],
  ['with a list of frames outside the root', BYTES, 2, async (_, blockstore) =>
    addInGroups(BYTES, zstd(), 'size', blockstore)],
  ['a stream with a seek table', BYTES, 2, async (fs, blockstore) => {
    const cid = await fs.addBytes(BYTES, { compression: { codec: 'zstd', detect: false, frameSize: FRAME } })
    const stream = await collect(fs.cat(unmark(cid)))

    return mark(await unixfs({ blockstore }).addBytes(stream, { chunker: inPieces }), 'zstd')
  }],
  ['plain', BYTES, 1, async (_, blockstore) =>
    unixfs({ blockstore }).addBytes(BYTES, { chunker: inPieces })],
  ['one raw block', BYTES, 1, async (_, blockstore) => {
    const cid = CID.createV1(raw.code, await sha256.digest(BYTES))

    return blockstore.put(cid, BYTES)
  }]
]

/** Read so many other files that no cache has room for what was read before. */
async function displace (fs: Ipfsz, others: readonly CID[]): Promise<void> {
  for (const other of others) {
    await collect(fs.cat(other, { length: 10 }))
  }
}

/** Files whose roots, and whose bases, displace those of others. */
async function addOthers (fs: Ipfsz): Promise<CID[]> {
  const compression = { detect: false, frameSize: FRAME }
  const others: CID[] = []

  for (let i = 0; i < MAX_CACHED_ROOTS; i++) {
    others.push(await fs.addBytes(text(2000, i + 10), { compression }))
  }

  for (let i = 0; i < MAX_CACHED_CONTENTS_SIZE / MAX_CACHED_CONTENT_SIZE + 1; i++) {
    const bytes = text(MAX_CACHED_CONTENT_SIZE, i + 100)
    const base = await fs.addBytes(bytes, { compression })

    others.push(await fs.addBytes(bytes.subarray(7), { compression: { ...compression, base } }))
  }

  return others
}

describe('a file handle', () => {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore })
  let others: CID[]

  beforeAll(async () => { others = await addOthers(fs) })

  it.each(KINDS)('of a file that is %s reads what is not data only once', async (_, bytes, lookups, add) => {
    const cid = await add(fs, blockstore)
    await displace(fs, others)
    blockstore.gets.length = 0
    const file = await fs.open(cid)
    const range = { offset: 100_000, length: 1000 }
    const whole = await collect(file.read())
    const first = await collect(file.read(range))
    const opened = [...blockstore.gets]

    expect(file.stats).toEqual(await fs.stat(cid))
    expect(same(whole, bytes)).toBe(true)
    expect(same(first, bytes.subarray(100_000, 101_000))).toBe(true)
    expect(opened.filter(get => get === unmark(cid).toString())).toHaveLength(1)

    for (let i = 0; i < 2; i++) {
      await displace(fs, others)
      blockstore.gets.length = 0
      expect(same(await collect(file.read(range)), first)).toBe(true)
      const held = blockstore.gets.length
      blockstore.gets.length = 0
      await collect(ipfsz({ blockstore }).cat(cid, range))
      expect(held).toBeLessThanOrEqual(blockstore.gets.length - lookups)
    }

    file.close()
  })

  it.each(KINDS)('of a file that is %s says what reading costs more than once', async (_, _bytes, _lookups, add) => {
    const cid = await add(fs, blockstore)
    const file = await fs.open(cid)
    const cost = await file.readCost()
    await displace(fs, others)
    blockstore.gets.length = 0

    expect(await file.readCost()).toEqual(cost)
    expect(cost.memoryAhead).toBeGreaterThanOrEqual(cost.memory)
    expect(blockstore.gets).toEqual([])
  })

  it('is read several times at once, and each read has its own signal', async () => {
    const { blockstore, cid, bytes } = await stored()
    const file = await ipfsz({ blockstore }).open(cid)
    const stopped = new AbortController()
    const reads = [0, 300_000, 600_000].map(async offset => collect(file.read({ offset, length: 200_000 })))
    const failing = collect(file.read({ signal: stopped.signal }))
    stopped.abort(new Error('enough'))

    await expect(failing).rejects.toThrow('enough')

    for (const [i, read] of (await Promise.all(reads)).entries()) {
      expect(same(read, bytes.subarray(i * 300_000, i * 300_000 + 200_000))).toBe(true)
    }
  })

  it('ends reads without a signal of their own with that of opening', async () => {
    const { blockstore, cid, bytes } = await stored()
    const opened = new AbortController()
    const file = await ipfsz({ blockstore }).open(cid, { signal: opened.signal })
    opened.abort(new Error('enough'))

    await expect(collect(file.read())).rejects.toThrow('enough')
    await expect(collect(file.read({ signal: undefined }))).rejects.toThrow('enough')
    expect(same(await collect(file.read({ signal: new AbortController().signal })), bytes)).toBe(true)
  })

  it('reads with the options of opening, but counts only the path for its limit', async () => {
    const { fs, tree } = await withTree()
    const [taken, frames]: [string[], string[]] = [[], []]
    const options = {
      path: 'a/b.txt',
      limit: { take: (cid: CID) => { taken.push(cid.toString()) } },
      onProgress: ({ type }: { type: string }) => { frames.push(type) }
    }
    const file = await fs.open(tree, options)
    expect(taken).toHaveLength(3)
    expect(same(await collect(file.read()), BYTES)).toBe(true)

    expect(taken).toHaveLength(3)
    expect(frames.filter(type => type === 'ipfsz:cat:frame').length).toBeGreaterThan(0)
  })

  it('describes directories and symlinks, and refuses to read a directory', async () => {
    const { fs, tree } = await withTree()

    for (const path of ['', 'a']) {
      const directory = await fs.open(tree, { path })
      expect(directory.stats).toEqual(await fs.stat(tree, { path }))
      expect(directory.stored).toBeUndefined()
      await expect(collect(directory.read())).rejects.toMatchObject({ name: 'NotAFileError' })
    }

    await expect(fs.open(tree, { path: 'a/c' })).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(fs.open(tree, { path: 'a/b.txt/c' })).rejects.toMatchObject({ name: 'NotADirectoryError' })
  })

  it('refuses ranges outside of the file', async () => {
    const { blockstore, cid } = await stored()
    const file = await ipfsz({ blockstore }).open(cid)

    for (const range of [{ offset: 1_000_001 }, { offset: -1 }, { length: 1.5 }]) {
      await expect(collect(file.read(range))).rejects.toMatchObject({ name: 'InvalidParametersError' })
    }

    expect(await collect(file.read({ offset: 1_000_000 }))).toHaveLength(0)
  })

  it('refuses to be read once it is closed, but ends the reads that have begun', async () => {
    const { blockstore, cid, bytes } = await stored()
    const file = await ipfsz({ blockstore }).open(cid)
    const { stored: frames } = file
    const reader = file.read()[Symbol.asyncIterator]()
    const { value } = await reader.next()
    const late = file.read()
    file.close()
    file.close()

    const closed = { name: 'FileClosedError', cid: unmark(cid) }
    await expect(collect(late)).rejects.toMatchObject(closed)
    await expect(file.readCost()).rejects.toMatchObject(closed)
    expect(() => file.stored).toThrow(expect.objectContaining(closed) as Error)
    await expect(collect(frames?.frames() ?? [] as never)).rejects.toMatchObject(closed)

    const rest = await collect({ [Symbol.asyncIterator]: () => reader })
    expect(same(Buffer.concat([value ?? new Uint8Array(0), rest]), bytes)).toBe(true)
    expect(file.stats.size).toBe(1_000_000n)
  })

  it('of a linked original reads the compressed file, and ranges of it', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
    const compressed = await fs.addBytes(BYTES, { link: true })
    const original = (await fs.stat(compressed)).contentCid as CID
    const file = await fs.open(original)

    expect(file.stats).toEqual(await fs.stat(original))
    expect(same(await collect(file.read()), BYTES)).toBe(true)
    expect(same(await collect(file.read({ offset: 9, length: 99 })), BYTES.subarray(9, 108))).toBe(true)
  })

  it('of what is not compressed reads it in pieces', async () => {
    const bytes = noise(3_000_000)
    const blockstore = new CountingBlockstore()
    const file = await ipfsz({ blockstore }).open(await unixfs({ blockstore }).addBytes(bytes))

    expect(same(await collect(file.read({ transient: false })), bytes)).toBe(true)
    expect(file.stored).toBeUndefined()
  })
})

async function withTree (): Promise<{ fs: Ipfsz, tree: CID }> {
  const fs = ipfsz({ blockstore: new CountingBlockstore() })

  return { fs, tree: await addTree(fs, { 'a/b.txt': BYTES }) }
}
