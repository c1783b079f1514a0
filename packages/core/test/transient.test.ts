import { MemoryBlockstore } from 'blockstore-core'
import { MemoryDatastore } from 'datastore-core'
import { unixfs } from '@helia/unixfs'
import { snappy } from '@ipfsz/codecs/snappy'
import { zstd } from '@ipfsz/codecs/zstd'
import * as dagPb from '@ipld/dag-pb'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { ipfsz, mark, unmark } from '../src/index.ts'
import { openEntry } from '../src/read/entry.ts'
import {
  appendHeader, chunked, collect, CountingBlockstore, FRAME, getBlock, noise, putNode, stored, text
} from './fixtures.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Header } from '../src/format/header.ts'

/** A store whose blocks are in memory of their own each time. */
class FreshStore extends MemoryBlockstore {
  readonly freshBlocks = true
  readonly returned: Uint8Array[] = []
  readonly #before: number

  /** @param before - bytes that are before each block in its memory, as those of packs have their multihash */
  constructor (before = 0) {
    super()
    this.#before = before
  }

  override * get (...args: Parameters<MemoryBlockstore['get']>): Generator<Uint8Array> {
    for (const block of super.get(...args) as Iterable<Uint8Array>) {
      // not by `set`, whose calls are counted
      const copy = new Uint8Array(Buffer.concat([Buffer.alloc(this.#before), block])).subarray(this.#before)
      this.returned.push(copy)
      yield copy
    }
  }

  /** How many of the blocks that it returned have been freed. */
  get freed (): number {
    return this.returned.filter(({ byteLength }) => byteLength === 0).length
  }
}

/** A store that returns blocks in two pieces, of its own memory. */
class PiecesStore extends MemoryBlockstore {
  readonly pieces: Uint8Array[] = []

  override * get (...args: Parameters<MemoryBlockstore['get']>): Generator<Uint8Array> {
    for (const block of super.get(...args) as Iterable<Uint8Array>) {
      const pieces = [block.subarray(0, 10), block.subarray(10)]
      this.pieces.push(...pieces)
      yield * pieces
    }
  }
}

/** Copies each chunk before it requests the next one. */
async function copyAll (source: AsyncIterable<Uint8Array>): Promise<{ bytes: Uint8Array, freed: number }> {
  const chunks: Uint8Array[] = []
  const copies: Uint8Array[] = []

  for await (const chunk of source) {
    chunks.push(chunk)
    copies.push(new Uint8Array(chunk))
  }

  return { bytes: Buffer.concat(copies), freed: chunks.filter(({ byteLength }) => byteLength === 0).length }
}

describe('transient', () => {
  it.each(
    ['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo'] as const
  )('frees the bytes of every %s frame once the next ones are requested', async (codec) => {
    const { blockstore, cid, bytes } = await stored(4 * FRAME, codec)
    const read = await copyAll(ipfsz({ blockstore }).cat(cid, { transient: true }))

    expect(Buffer.compare(read.bytes, bytes)).toBe(0)
    expect(read.freed).toBe(4)
  })

  it('reads later frames into the memory of earlier ones', async () => {
    const inner = zstd()
    const size = 2 * FRAME
    const bytes = text(40 * FRAME)
    const frames = Array.from({ length: 20 }, (_, i) => bytes.slice(i * size, (i + 1) * size))
    const before: Uint8Array[] = []
    const codec: Codec = {
      ...inner,
      async decompress (frame, options) {
        before.push((options.into ?? new Uint8Array(size)).slice(0, size))

        return inner.decompress(frame, options)
      }
    }
    const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [codec] })
    const cid = await fs.addBytes(bytes, { compression: { frameSize: size } })
    const read = await copyAll(fs.cat(cid, { transient: true }))
    const used = before.filter(memory => frames.some(frame => Buffer.compare(frame, memory) === 0))

    expect(Buffer.compare(read.bytes, bytes)).toBe(0)
    expect(read.freed).toBe(20)
    // none but the first ones, of which there are as many as are decompressed at a time
    expect(before.filter(memory => memory.every(byte => byte === 0)).length).toBe(20 - used.length)
    expect(used.length).toBeGreaterThan(0)

    before.length = 0
    await collect(fs.cat(cid))
    expect(before.every(memory => memory.every(byte => byte === 0))).toBe(true)
  })

  it('leaves the memory of a frame that is damaged to the codec', async () => {
    const inner = zstd()
    const given: Uint8Array[] = []
    let calls = 0
    const codec: Codec = {
      ...inner,
      async decompress (frame, options) {
        given.push(options.into ?? new Uint8Array(0))

        if (calls++ === 2) {
          throw new Error('damaged')
        }

        return inner.decompress(frame, options)
      }
    }
    const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs: [codec] })
    const cid = await fs.addBytes(text(12 * FRAME), { compression: { frameSize: 2 * FRAME } })

    await expect(copyAll(fs.cat(cid, { transient: true }))).rejects.toThrow('damaged')
    // a thread may still write there
    expect(given[2].byteLength).toBeGreaterThan(2 * FRAME)
  })

  it('is not the default', async () => {
    const { blockstore, cid, bytes } = await stored(4 * FRAME)
    const read = await copyAll(ipfsz({ blockstore }).cat(cid))

    expect(Buffer.compare(read.bytes, bytes)).toBe(0)
    expect(read.freed).toBe(0)
  })

  it('leaves the last bytes to a caller that stops', async () => {
    const { blockstore, cid } = await stored(4 * FRAME)
    const kept: Uint8Array[] = []

    for await (const bytes of ipfsz({ blockstore }).cat(cid, { transient: true })) {
      kept.push(bytes)

      if (kept.length === 2) {
        break
      }
    }

    expect(kept.map(({ byteLength }) => byteLength)).toEqual([0, FRAME])
  })

  it.each([
    ['memory', new MemoryBlockstore()],
    ['fresh memory', new FreshStore()],
    ['fresh memory, as packs', new FreshStore(34)]
  ])('reads the same twice from a store in %s', async (_, blockstore) => {
    const fs = ipfsz({ blockstore })
    const bytes = Buffer.concat([text(3_000_000), noise(2_500_000)])

    for (const codec of ['zstd', 'none'] as const) {
      const cid = await fs.addBytes(bytes, { compression: { codec, frameSize: 16 * FRAME, detect: false } })

      for (const offset of [0, 0, 1_234_567]) {
        const read = await copyAll(fs.cat(cid, { offset, transient: true }))
        expect(Buffer.compare(read.bytes, bytes.subarray(offset)), `${codec} from ${offset}`).toBe(0)
      }
    }

    if (blockstore instanceof FreshStore) {
      // not the two roots, and not the last leaf of each of the six reads
      expect(blockstore.returned.length - blockstore.freed).toBeLessThanOrEqual(8)
      expect(blockstore.freed).toBeGreaterThan(8)
    }
  })

  it.each([1, 16])('frees blocks of a compressed file without it too, frames of %d * 64 KiB', async (frames) => {
    const blockstore = new FreshStore()
    const fs = ipfsz({ blockstore })
    const bytes = Buffer.concat([text(1_000_000), noise(2_500_000)])
    const compression = { codec: 'zstd', frameSize: frames * FRAME, detect: false } as const
    const cid = await fs.addBytes(bytes, { compression })

    for (const offset of [0, 1_234_567]) {
      expect(Buffer.compare(await collect(fs.cat(cid, { offset })), bytes.subarray(offset))).toBe(0)
    }

    // not the root, and not the last leaf of each of the two reads
    expect(blockstore.returned.length - blockstore.freed).toBeLessThanOrEqual(3)
    expect(blockstore.freed).toBeGreaterThan(2)
  })

  it('frees what it joined of blocks that come in pieces, and no piece', async () => {
    const blockstore = new PiecesStore()
    const joined = vi.spyOn(ArrayBuffer.prototype, 'transfer')
    const fs = ipfsz({ blockstore })
    const bytes = noise(2_500_000)
    const compression = { codec: 'zstd', frameSize: 16 * FRAME, detect: false } as const
    const cid = await fs.addBytes(bytes, { compression })

    for (let time = 0; time < 2; time++) {
      joined.mockClear()
      expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
      // three frames of zstd, each in two leaves, and the first leaves of all
      expect(joined.mock.calls.length).toBeGreaterThan(3)
    }

    joined.mockRestore()
    expect(blockstore.pieces.filter(({ byteLength }) => byteLength === 0).length).toBe(0)
  })

  it('decompresses the only frame of a block where the store has put it', async () => {
    const inner = zstd()
    let frame: Uint8Array = new Uint8Array(0)
    let length = 0
    const codec: Codec = {
      ...inner,
      decompress (given, options) {
        frame = given
        length = given.byteLength

        return inner.decompress(given, options)
      }
    }
    const blockstore = new FreshStore()
    const fs = ipfsz({ blockstore }, { codecs: [codec] })
    const bytes = Buffer.concat([text(200_000), noise(200_000)])
    const cid = await fs.addBytes(bytes)

    for (let time = 0; time < 2; time++) {
      const copies: number[] = []
      const { set } = Uint8Array.prototype
      const spy = vi.spyOn(Uint8Array.prototype, 'set').mockImplementation(function (this: Uint8Array, from, at) {
        copies.push(from.length)
        set.call(this, from, at)
      })
      const read = await collect(fs.cat(cid))
      spy.mockRestore()

      expect(Buffer.compare(read, bytes)).toBe(0)
      expect(length).toBeGreaterThan(200_000)
      expect(copies).not.toContain(length)
      // freed once it is decompressed
      expect(frame.byteLength).toBe(0)
    }
  })

  it('frees no block of a file that is read without it', async () => {
    const blockstore = new FreshStore()
    const fs = ipfsz({ blockstore })
    const cid = await fs.addBytes(noise(3_000_000))

    await collect(fs.cat(cid))
    expect(blockstore.freed).toBe(0)
  })

  it('frees no block that a codec returned a part of', async () => {
    const codec: Codec = { ...snappy(), compress: bytes => bytes.subarray(0, -1), decompress: frame => frame }
    const blockstore = new MemoryBlockstore()
    const bytes = text(2 * FRAME)
    const options = { compression: { codec: 'snappy', frameSize: FRAME, detect: false } } as const
    const cid = await ipfsz({ blockstore }, { codecs: [codec] }).addBytes(bytes, options)
    const first = await copyAll(ipfsz({ blockstore }, { codecs: [codec] }).cat(cid, { transient: true }))
    const second = await copyAll(ipfsz({ blockstore }, { codecs: [codec] }).cat(cid, { transient: true }))

    expect(first.bytes.byteLength).toBeGreaterThan(0)
    expect(Buffer.compare(first.bytes, second.bytes)).toBe(0)
  })

  it('reads a file with a base, whose pieces are kept', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const first = noise(3_000_000)
    const second = Buffer.concat([first.subarray(0, 1_400_000), text(3000), first.subarray(1_400_000)])
    const base = await fs.addBytes(first, { compression: { codec: 'zstd', frameSize: 8 * FRAME, detect: false } })
    const cid = await fs.addBytes(second, { compression: { base, frameSize: 8 * FRAME, detect: false } })
    const read = await copyAll(ipfsz({ blockstore }).cat(cid, { transient: true }))

    expect(Buffer.compare(read.bytes, second)).toBe(0)
  })

  it('reads through a link, whose bytes are compared with the original', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore(), datastore: new MemoryDatastore() })
    const bytes = text(1_500_000)
    await fs.addBytes(bytes, { link: true, compression: { frameSize: 4 * FRAME } })
    const original = await unixfs({ blockstore: new MemoryBlockstore() }).addByteStream(chunked(bytes, 100_000))
    const read = await copyAll(fs.cat(original, { transient: true }))

    expect(Buffer.compare(read.bytes, bytes)).toBe(0)
  })

  it.each([
    ['compressed', { codec: 'zstd', frameSize: 16 * FRAME, detect: false }, 3000],
    ['plain', { codec: 'none' }, 1000]
  ] as const)('frees what verify has read of a %s file, and hashes each block once', async (_, compression, size) => {
    const blockstore = new FreshStore()
    const fs = ipfsz({ blockstore })
    const bytes = Buffer.concat([text(size * 1000), noise(2_500_000)])
    const cid = await fs.addBytes(bytes, { compression })
    const hashed = vi.spyOn(sha256, 'digest')
    const pool = vi.spyOn(globalThis.crypto.subtle, 'digest')
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: BigInt(bytes.byteLength) })
    const hashes = hashed.mock.calls.length + pool.mock.calls.length
    hashed.mockRestore()
    pool.mockRestore()

    expect(blockstore.returned.length - blockstore.freed).toBeLessThanOrEqual(2)
    expect(blockstore.freed).toBeGreaterThan(1)
    expect(hashes).toBe(blockstore.returned.length)
  })

  it('of verify reads a table that lies in several blocks', async () => {
    const blockstore = new FreshStore()
    const fs = ipfsz({ blockstore })
    const cid = await fs.addBytes(text(16 * FRAME), { compression: { frameSize: FRAME } })
    const { header } = await openEntry(cid, { blockstore }, {})
    const stream = await collect(fs.cat(unmark(cid)))
    const plain = await unixfs({ blockstore }).addByteStream(chunked(stream, 100_000), {
      // its table has 145 bytes
      chunker: fixedSize({ chunkSize: 100 }), reduceSingleLeafToSelf: false, rawLeaves: true
    })
    const { Data = new Uint8Array(0), Links } = dagPb.decode(await getBlock(plain, blockstore))
    const root = await putNode({ Data: appendHeader(Data, header as Header), Links }, blockstore)
    const split = mark(root, (header as Header).codec)

    await expect(fs.verify(split)).resolves.toMatchObject({ frames: 16 })
  })

  it.each([[false, 4], [true, 0]])('of verify with a content CID %s frees %d frames', async (link, freed) => {
    const inner = zstd()
    const decoded: Uint8Array[] = []
    const codec: Codec = {
      ...inner,
      async decompress (frame, options) {
        const bytes = await inner.decompress(frame, options)
        decoded.push(bytes)

        return bytes
      }
    }
    const fs = ipfsz({ blockstore: new MemoryBlockstore(), datastore: new MemoryDatastore() }, { codecs: [codec] })
    const cid = await fs.addBytes(text(4 * FRAME), { link, compression: { frameSize: FRAME } })

    await fs.verify(cid)
    expect(decoded.length).toBe(4)
    expect(decoded.filter(({ byteLength }) => byteLength === 0).length).toBe(freed)
  })
})
