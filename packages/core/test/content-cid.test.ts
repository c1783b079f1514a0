import { unixfs } from '@helia/unixfs'
import fc from 'fast-check'
import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { describe, expect, it } from 'vitest'
import { MemoryDatastore } from 'datastore-core'
import { ContentCid } from '../src/content-cid/content-cid.ts'
import { UNIXFS_V1_2025 } from '../src/content-cid/content-layouts.ts'
import { openEntry } from '../src/read/entry.ts'
import { ipfsz, unmark } from '../src/index.ts'
import { chunked, CountingBlockstore, noise, text } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024

/** The CID that @helia/unixfs gives the bytes. */
async function plainCid (bytes: Uint8Array): Promise<CID> {
  return unixfs({ blockstore: new CountingBlockstore() }).addByteStream(chunked(bytes, 100_000))
}

async function ours (bytes: Uint8Array, chunk: number, leafSize?: number): Promise<CID> {
  const content = new ContentCid({}, [{ ...UNIXFS_V1_2025, ...leafSize == null ? {} : { leafSize } }])

  for await (const piece of chunked(bytes, chunk)) {
    const copy = piece.slice()
    await content.update(copy)
    // the caller may reuse the memory
    copy.fill(0)
  }

  return content.digest()
}

describe('a content CID', () => {
  const sizes = [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB + 1]

  it.each(sizes)('is the CID that @helia/unixfs gives %d bytes', async (size) => {
    const bytes = noise(size)
    const expected = await plainCid(bytes)

    for (const chunk of [64 * 1024 + 1, MIB, 4 * MIB]) {
      expect((await ours(bytes, chunk)).toString()).toBe(expected.toString())
    }
  })

  it('matches ipfs-unixfs-importer for any leaf size, however the bytes are chunked', async () => {
    await fc.assert(fc.asyncProperty(fc.nat(200), fc.integer(
      { min: 1, max: 20 }
    ), fc.integer({ min: 1, max: 60 }), async (size, leafSize, chunk) => {
      const bytes = noise(size, 7)
      const { cid } = await importFile({ content: bytes }, new CountingBlockstore(), {
        cidVersion: 1,
        rawLeaves: true,
        chunker: fixedSize({ chunkSize: leafSize }),
        layout: balanced({ maxChildrenPerNode: 1024 })
      })

      expect((await ours(bytes, chunk, leafSize)).toString()).toBe(cid.toString())
    }), { numRuns: 200 })
  })

  // a second level of nodes begins with the 1,025th leaf
  it.each([1023, 1024, 1025, 2049])('matches ipfs-unixfs-importer with %d leaves', async (leaves) => {
    const bytes = text(leaves * 3)
    const { cid } = await importFile({ content: bytes }, new CountingBlockstore(), {
      cidVersion: 1,
      rawLeaves: true,
      chunker: fixedSize({ chunkSize: 3 }),
      layout: balanced({ maxChildrenPerNode: 1024 })
    })

    expect((await ours(bytes, 1000, 3)).toString()).toBe(cid.toString())
  })
})

describe('the `link` option of an add', () => {
  // with detection, the first piece arrives as a trial frame; without it, as bytes
  it.each([
    [1, false],
    [100_000, true],
    [100_000, false],
    [64 * 1024, true],
    [3 * MIB + 5, true],
    [3 * MIB + 5, false]
  ])('writes the CID that %d bytes have uncompressed into the header (detect: %s)', async (size, detect) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
    const bytes = text(size)
    const expected = await plainCid(bytes)

    for (const codec of ['zstd', 'snappy', 'lz4'] as const) {
      const compression = { codec, detect, frameSize: 200_000 }
      const cid = await fs.addByteStream(chunked(bytes, 70_001), { link: true, compression })
      const { header } = await openEntry(cid, { blockstore }, {})

      expect(header?.contentCid?.toString()).toBe(expected.toString())
      expect(await fs.links.get(expected)).toEqual(cid)
      expect(await fs.links.get(cid)).toEqual(expected)
    }
  })

  it('links the same content CID whatever mode and mtime are', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore(), datastore: new MemoryDatastore() })
    const bytes = text(100_000)
    const cid = await fs.addBytes(bytes, { link: true, mode: 0o600, mtime: { secs: 5n } })

    expect(await fs.links.get(await plainCid(bytes))).toEqual(cid)
  })

  it('links the file, not its parent directories', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore(), datastore: new MemoryDatastore() })
    const bytes = text(100_000)
    await fs.addFile({ path: 'a/b', content: bytes }, { link: true })
    const links = await Array.fromAsync(fs.links.list())

    expect(links).toHaveLength(1)
    expect(links[0].original).toEqual(await plainCid(bytes))
    expect((await fs.stat(links[0].compressed)).size).toBe(100_000n)
  })

  it('does not link files that are stored uncompressed', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore(), datastore: new MemoryDatastore() })
    const bytes = noise(100_000)

    expect(await fs.addBytes(bytes, { link: true })).toEqual(await plainCid(bytes))
    await fs.addBytes(new Uint8Array(0), { link: true })
    await fs.addBytes(text(100_000), { link: true, compression: { codec: 'none' } })
    expect(await Array.fromAsync(fs.links.list())).toEqual([])
  })

  it('writes no link and leaves the CID unchanged if it is not set', async () => {
    const datastore = new MemoryDatastore()
    const [plain, other] = await Promise.all([undefined, datastore].map(async datastore => {
      return ipfsz({ blockstore: new CountingBlockstore(), datastore }).addBytes(text(100_000))
    }))

    expect(other).toEqual(plain)
    expect(await Array.fromAsync(datastore.query({}))).toEqual([])
  })

  it('is refused without a datastore, before anything is read or written', async () => {
    const blockstore = new CountingBlockstore()
    let read = false
    const source = (async function * () {
      read = true
      yield text(1000)
    })()

    await expect(
      ipfsz({ blockstore }).addByteStream(source, { link: true })
    ).rejects.toMatchObject({ name: 'LinksUnavailableError' })
    expect({ read, puts: blockstore.puts }).toEqual({ read: false, puts: [] })
  })

  it('makes a root that @helia/unixfs reads as the zstd stream', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
    const cid = await fs.addBytes(text(1_000_000), { link: true })
    const stream = Buffer.concat(await Array.fromAsync(unixfs({ blockstore }).cat(unmark(cid))))

    expect(stream.subarray(0, 4).toString('hex')).toBe('28b52ffd')
  })
})
