import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, FRAME, getBlock, noise, putNode, stored, text } from './fixtures.ts'

const CODECS = ['zstd', 'gzip', 'lz4', 'brotli', 'snappy'] as const

describe.each(CODECS)('cat of a %s file', (codec) => {
  it('returns the bytes that offset and length select', async () => {
    const { blockstore, cid, bytes } = await stored(300_000, codec)
    const fs = ipfsz({ blockstore })

    const offsets = fc.nat(bytes.byteLength)
    const lengths = fc.nat(bytes.byteLength + 1000)

    await fc.assert(fc.asyncProperty(offsets, lengths, async (offset, length) => {
      const read = await collect(fs.cat(cid, { offset, length }))
      expect(Buffer.compare(read, bytes.subarray(offset, offset + length))).toBe(0)
    }), { numRuns: 60 })
  })
})

describe('a range', () => {
  it('fetches only the root and the leaves that hold it', async () => {
    const { blockstore, cid, bytes } = await stored(8_000_000)
    const fs = ipfsz({ blockstore })
    const { Links } = dagPb.decode(await getBlock(unmark(cid), blockstore))
    expect(Links.length).toBeGreaterThan(2)

    for (const [i, offset] of [0, 123_456, 4_000_000, bytes.byteLength - 10, 4_000_000, 0].entries()) {
      blockstore.gets.length = 0
      await collect(fs.cat(cid, { offset, length: 10 }))
      // the root is fetched once: each later range fetches only its leaf
      expect(blockstore.gets.slice(0, i === 0 ? 1 : 0)).toEqual(i === 0 ? [unmark(cid).toString()] : [])
      expect(blockstore.gets.length, `at ${offset}`).toBe(i === 0 ? 2 : 1)
    }
  })

  it('is exact if it starts or ends just before, at or after the end of a frame', async () => {
    const { blockstore, cid, bytes } = await stored(3 * FRAME + 5)
    const fs = ipfsz({ blockstore })
    const edges = [0, FRAME, 2 * FRAME, 3 * FRAME, bytes.byteLength]
      .flatMap(edge => [edge - 1, edge, edge + 1])
      .filter(edge => edge >= 0 && edge <= bytes.byteLength)

    for (const start of edges) {
      for (const end of edges.filter(edge => edge >= start)) {
        const read = await collect(fs.cat(cid, { offset: start, length: end - start }))
        expect(Buffer.compare(read, bytes.subarray(start, end)), `${start} to ${end}`).toBe(0)
      }
    }
  })

  it('of no bytes fetches only the root', async () => {
    const { blockstore, cid } = await stored()
    blockstore.gets.length = 0

    expect(await collect(ipfsz({ blockstore }).cat(cid, { offset: 5, length: 0 }))).toHaveLength(0)
    expect(blockstore.gets).toHaveLength(1)
  })

  it.each([
    { offset: -1 },
    { offset: 1_000_001 },
    { offset: 0.5 },
    { length: -1 },
    { length: Number.NaN }
  ])('is refused if it is invalid: %o', async (range) => {
    const { blockstore, cid } = await stored()
    await expect(
      collect(ipfsz({ blockstore }).cat(cid, range))
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })
})

describe('a plain CID', () => {
  it.each([
    ['of a raw block', noise(1000)],
    ['of many blocks', noise(3_000_000)],
    ['of an empty file', new Uint8Array(0)]
  ])('%s reads as @helia/unixfs reads it', async (_, bytes) => {
    const blockstore = new CountingBlockstore()
    const cid = await unixfs({ blockstore }).addBytes(bytes)

    for (const options of [{}, { offset: 0, length: 10 }, { offset: Math.min(900, bytes.byteLength) }]) {
      expect(Buffer.compare(
        await collect(ipfsz({ blockstore }).cat(cid, options)),
        await collect(unixfs({ blockstore }).cat(cid, options))
      )).toBe(0)
    }
  })

  it('of a compressed file returns the stored bytes, as in @helia/unixfs', async () => {
    const { blockstore, cid } = await stored()
    const ours = await collect(ipfsz({ blockstore }).cat(unmark(cid)))

    expect(Buffer.compare(ours, await collect(unixfs({ blockstore }).cat(unmark(cid))))).toBe(0)
    expect(ours.byteLength).toBeLessThan(1_000_000)
  })

  it('of something that is not a file fails as in @helia/unixfs', async () => {
    const blockstore = new CountingBlockstore()
    const directory = await unixfs({ blockstore }).addDirectory()
    const symlink = await putNode(
      { Data: new UnixFS({ type: 'symlink', data: text(10) }).marshal(), Links: [] },
      blockstore
    )
    const noUnixfs = await putNode({ Data: Uint8Array.of(1, 2, 3), Links: [] }, blockstore)
    const cbor = CID.createV1(0x71, await sha256.digest(Uint8Array.of(0xa0)))
    await blockstore.put(cbor, Uint8Array.of(0xa0))
    const unknown = CID.createV1(0x3f5aff, directory.multihash)
    const missing = CID.createV1(dagPb.code, await sha256.digest(text(1)))

    for (const cid of [directory, symlink, noUnixfs, missing]) {
      const [ours, theirs] = await Promise.all([ipfsz({ blockstore }), unixfs({ blockstore })]
        .map(async fs => collect(fs.cat(cid)).then(bytes => bytes.byteLength, (err: Error) => err.name)))

      expect(ours, cid.toString()).toBe(theirs)
    }

    // there, NotAFileError as for a directory, and NoResolverError
    for (const cid of [cbor, unknown]) {
      await expect(collect(ipfsz({ blockstore }).cat(cid))).rejects.toMatchObject({ name: 'NotUnixFSError' })
    }
  })

  it('reports the same progress as @helia/unixfs', async () => {
    const blockstore = new CountingBlockstore()
    const cids = [
      await unixfs({ blockstore }).addBytes(noise(1000)),
      await unixfs({ blockstore }).addBytes(noise(3_000_000))
    ]

    for (const cid of cids) {
      const [ours, theirs] = await Promise.all([ipfsz({ blockstore }), unixfs({ blockstore })].map(async fs => {
        const events: string[] = []
        await collect(fs.cat(cid, {
          offset: 10,
          onProgress: event => {
            if (event.type.startsWith('unixfs:exporter:progress')) {
              events.push(JSON.stringify(
                [event.type, event.detail],
                (_, value: unknown) => typeof value === 'bigint' ? Number(value) : value
              ))
            }
          }
        }))

        return events
      }))

      expect(ours.length).toBeGreaterThan(0)
      expect(ours).toEqual(theirs)
    }
  })

  it('is read along a path as in @helia/unixfs', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await unixfs({ blockstore }).addFile({ path: 'a/b', content: noise(100) })

    expect(await collect(ipfsz({ blockstore }).cat(cid, { path: 'a/b' }))).toEqual(Buffer.from(noise(100)))
    await expect(
      collect(ipfsz({ blockstore }).cat(cid, { path: 'a/c' }))
    ).rejects.toMatchObject({ name: 'NotFoundError' })
  })
})

describe('cat', () => {
  it('ends if the signal aborts', async () => {
    const { blockstore, cid } = await stored()
    const controller = new AbortController()
    const read = ipfsz({ blockstore }).cat(cid, { signal: controller.signal })[Symbol.asyncIterator]()

    await read.next()
    controller.abort()
    await expect(read.next()).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('reports every frame', async () => {
    const { blockstore, cid } = await stored(200_000)
    const frames: unknown[] = []
    await collect(ipfsz({ blockstore }).cat(cid, {
      onProgress: event => {
        if (event.type === 'ipfsz:cat:frame') {
          frames.push(event.detail.size)
        }
      }
    }))

    expect(frames).toEqual([65536, 65536, 65536, 3392])
  })

  it('works with the smallest memory bound, and refuses bounds that are not above 0', async () => {
    const { blockstore, cid, bytes } = await stored()

    expect(Buffer.compare(await collect(ipfsz({ blockstore }, { inFlightBytes: 1 }).cat(cid)), bytes)).toBe(0)

    for (const inFlightBytes of [0, -1, Number.NaN]) {
      expect(() => ipfsz({ blockstore }, { inFlightBytes })).toThrow(
        expect.objectContaining({ name: 'InvalidParametersError' })
      )
    }

    await expect(
      collect(ipfsz({ blockstore }).cat(cid, { blockReadConcurrency: 0 }))
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('keeps no more frames in memory than inFlightBytes allows', async () => {
    const { blockstore, cid } = await stored(5_000_000)
    let decompressed = 0
    const { codecs } = ipfsz({ blockstore })
    const counting = codecs.map(codec => ({
      ...codec,
      decompress: async (...args: Parameters<typeof codec.decompress>) => {
        decompressed++

        return codec.decompress(...args)
      }
    }))
    const read = ipfsz({ blockstore }, { codecs: counting, inFlightBytes: 3 * FRAME }).cat(cid)[Symbol.asyncIterator]()

    await read.next()
    await new Promise(resolve => { setTimeout(resolve, 50) })
    expect(decompressed).toBeLessThanOrEqual(4)
  })
})
