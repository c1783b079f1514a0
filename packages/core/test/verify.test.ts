import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { MemoryDatastore } from 'datastore-core'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, MARKERS, unmark } from '../src/index.ts'
import { openEntry } from '../src/read/entry.ts'
import {
  appendHeader,
  chunked,
  collect,
  CountingBlockstore,
  FRAME,
  getBlock,
  leavesOf,
  noise,
  putNode,
  stored,
  text
} from './fixtures.ts'
import type { Header } from '../src/format/header.ts'

const RAW = 0x55
const CODECS = ['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo'] as const

/** A file of the same stream with a changed header, and with `behind` after the stream. */
async function changed (
  cid: CID,
  blockstore: CountingBlockstore,
  change: (header: Header) => Partial<Header>,
  behind = new Uint8Array(0)
): Promise<CID> {
  const { header } = await openEntry(cid, { blockstore }, {})
  const stream = await collect(ipfsz({ blockstore }).cat(unmark(cid)))

  return withHeader(Buffer.concat([stream, behind]), { ...header as Header, ...change(header as Header) }, blockstore)
}

async function withHeader (stream: Uint8Array, header: Header, blockstore: CountingBlockstore): Promise<CID> {
  const plain = await unixfs({ blockstore }).addByteStream(
    chunked(stream, 100_000),
    { reduceSingleLeafToSelf: false, rawLeaves: true }
  )
  const { Data = new Uint8Array(0), Links } = dagPb.decode(await getBlock(plain, blockstore))

  return mark(await putNode({ Data: appendHeader(Data, header), Links }, blockstore), header.codec)
}

describe('verify', () => {
  it.each(CODECS)('reports the size, blocks and frames of a %s file', async (codec) => {
    const { blockstore, cid } = await stored(1_000_000, codec)

    expect(await ipfsz({ blockstore }).verify(cid)).toEqual(
      { cid: unmark(cid), size: 1_000_000n, blocks: BigInt(blockstore.puts.length), frames: 16, files: 1 }
    )
  })

  it.each([1, 1000, FRAME, FRAME + 1, 3_000_000])('reads every block of a file of %d bytes once', async (size) => {
    const { blockstore, cid } = await stored(size)
    blockstore.gets.length = 0
    const { blocks } = await ipfsz({ blockstore }).verify(cid)

    expect(new Set(blockstore.gets)).toEqual(new Set(blockstore.puts))
    expect(BigInt(blockstore.gets.length)).toBe(blocks)
  })

  it('compares the content CID, and reports it', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
    const bytes = text(2_500_000)
    const cid = await fs.addBytes(bytes, { link: true })
    const contentCid = await unixfs({ blockstore: new CountingBlockstore() }).addByteStream(chunked(bytes, 100_000))

    expect(await fs.verify(cid)).toMatchObject({ size: 2_500_000n, contentCid })
    // by the CID of the original, which is not stored here
    expect(await fs.verify(contentCid)).toMatchObject({ cid: unmark(cid), frames: 1, contentCid })
  })

  it.each([
    ['of a raw block', noise(1000), 1n],
    ['of many blocks', noise(3_000_000), 4n],
    ['of no bytes', new Uint8Array(0), 1n]
  ])('reads a plain file %s', async (_, bytes, blocks) => {
    const blockstore = new CountingBlockstore()
    const cid = await unixfs({ blockstore }).addBytes(bytes)

    expect(await ipfsz({ blockstore }).verify(cid)).toEqual(
      { cid, size: BigInt(bytes.byteLength), blocks, frames: 0, files: 1 }
    )
  })

  it('reads a stream of another tool to its end, and refuses a truncated one', async () => {
    const blockstore = new CountingBlockstore()
    const bytes = text(3_000_000)
    const stream = new Uint8Array(await new Response(
      new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'))
    ).arrayBuffer())
    const cid = mark(await unixfs({ blockstore }).addBytes(stream, { rawLeaves: false }), MARKERS.gzip)
    const cut = mark(
      await unixfs({ blockstore }).addBytes(stream.subarray(0, -1), { rawLeaves: false }),
      MARKERS.gzip
    )

    expect(await ipfsz({ blockstore }).verify(cid)).toMatchObject({ size: 3_000_000n, frames: 0, files: 1 })
    await expect(ipfsz({ blockstore }).verify(cut)).rejects.toMatchObject({ name: 'CorruptFrameError' })
  })

  it('reads the stored bytes by the plain CID', async () => {
    const { blockstore, cid } = await stored()
    const stream = await collect(ipfsz({ blockstore }).cat(unmark(cid)))

    expect(
      await ipfsz({ blockstore }).verify(unmark(cid))
    ).toMatchObject({ size: BigInt(stream.byteLength), frames: 0 })
  })

  it('reports files and frames', async () => {
    const { blockstore, cid } = await stored(200_000)
    const events: unknown[] = []
    await ipfsz({ blockstore }).verify(cid, {
      onProgress: event => {
        if (event.type === 'ipfsz:verify:file' || event.type === 'ipfsz:cat:frame') {
          events.push([event.type, event.detail.size])
        }
      }
    })

    expect(events).toEqual(
      [...[65536, 65536, 65536, 3392].map(size => ['ipfsz:cat:frame', size]), ['ipfsz:verify:file', 200_000n]]
    )
  })

  it('ends if the signal aborts', async () => {
    const { blockstore, cid } = await stored()
    const controller = new AbortController()
    const options = { signal: controller.signal, onProgress: () => { controller.abort() } }

    await expect(ipfsz({ blockstore }).verify(cid, options)).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('verify of a damaged file', () => {
  it('refuses any damaged, truncated or missing block', async () => {
    const { blockstore, cid } = await stored(3_000_000)
    const fs = ipfsz({ blockstore })
    await collect(fs.cat(cid))

    for (const damaged of [unmark(cid), ...await leavesOf(cid, blockstore)]) {
      const block = await getBlock(damaged, blockstore)
      const flipped = Uint8Array.from(block)
      flipped[block.byteLength >> 1] ^= 1

      for (const bytes of [flipped, block.subarray(1), new Uint8Array(0)]) {
        await blockstore.put(damaged, bytes)
        await expect(fs.verify(cid)).rejects.toMatchObject({ name: 'CorruptBlockError', cid: damaged })
      }

      await blockstore.delete(damaged)
      await expect(fs.verify(cid)).rejects.toMatchObject({ name: 'NotFoundError', cid: damaged })
      await blockstore.put(damaged, block)
      // its root is cached by now, but verify reads the stored block
      await expect(fs.verify(cid)).resolves.toMatchObject({ files: 1 })
    }
  })

  it('refuses a damaged block with another supported hash function, like cat', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = CID.createV1(RAW, await sha512.digest(text(100)))
    await blockstore.put(cid, text(100))
    expect(await fs.verify(cid)).toMatchObject({ size: 100n })

    await blockstore.put(cid, text(100, 2))
    await expect(fs.verify(cid)).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
    await expect(collect(fs.cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it('refuses a block with an unsupported hash function, like cat', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = CID.createV1(RAW, createDigest(0xb260, new Uint8Array(32)))
    await blockstore.put(cid, text(100))
    const file = await putNode({
      Data: new UnixFS({ type: 'file', blockSizes: [100n] }).marshal(),
      Links: [{ Name: '', Hash: cid, Tsize: 100 }]
    }, blockstore)

    await expect(fs.verify(cid)).rejects.toMatchObject({ name: 'UnknownHashError', cid })
    await expect(fs.verify(file)).rejects.toMatchObject({ name: 'UnknownHashError', cid })
    await expect(collect(fs.cat(file))).rejects.toMatchObject({ name: 'UnknownHashError', cid })
  })

  it('refuses a missing empty block, though reading does not need it', async () => {
    const blockstore = new CountingBlockstore()
    const leaf = CID.createV1(RAW, await sha256.digest(noise(100)))
    const empty = CID.createV1(RAW, await sha256.digest(new Uint8Array(0)))
    await blockstore.put(leaf, noise(100))
    const root = await putNode(dagPb.prepare({
      Data: new UnixFS({ type: 'file', blockSizes: [100n, 0n] }).marshal(),
      Links: [leaf, empty].map(Hash => ({ Hash, Name: '', Tsize: 0 }))
    }), blockstore)

    await expect(ipfsz({ blockstore }).verify(root)).rejects.toMatchObject({ name: 'NotFoundError', cid: empty })
    await blockstore.put(empty, new Uint8Array(0))
    expect(await ipfsz({ blockstore }).verify(root)).toMatchObject({ size: 100n, blocks: 3n })
  })

  it.each(CODECS)('refuses a damaged frame of %s under valid hashes', async (codec) => {
    const { blockstore, cid } = await stored(200_000, codec)
    const { header } = await openEntry(cid, { blockstore }, {})
    const stream = Buffer.from(await collect(ipfsz({ blockstore }).cat(unmark(cid))))
    stream.fill(0xff, (header as Header).frameLengths[0], (header as Header).frameLengths[0] + 12)
    const other = await withHeader(stream, header as Header, blockstore)

    await expect(ipfsz({ blockstore }).verify(other)).rejects.toMatchObject({ name: 'CorruptFrameError', codec })
  })

  it('refuses frames that hold more or less than the header states', async () => {
    const { blockstore, cid } = await stored(200_000)

    for (const size of [199_999, 200_001]) {
      await expect(
        ipfsz({ blockstore }).verify(await changed(cid, blockstore, () => ({ size })))
      ).rejects.toMatchObject({ name: 'CorruptFrameError' })
    }
  })

  it('refuses a seek table that differs from the header, or is missing', { tags: 'slow' }, async () => {
    const blockstore = new CountingBlockstore()
    const { cid } = await stored(200_000)
    const source = await stored(200_000)
    const stream = Buffer.from(await collect(ipfsz({ blockstore: source.blockstore }).cat(unmark(cid))))
    const { header } = await openEntry(cid, source, {})
    const table = 8 + 4 * 8 + 9

    for (let i = 1; i <= table; i++) {
      const damaged = Buffer.from(stream)
      damaged[damaged.byteLength - i] ^= 0x40
      const other = await withHeader(damaged, header as Header, blockstore)

      await expect(ipfsz({ blockstore }).verify(other)).rejects.toMatchObject(
        { name: 'InvalidTrailerError', cid: unmark(other) }
      )
      // reading does not depend on it
      expect(await collect(ipfsz({ blockstore }).cat(other))).toHaveLength(200_000)
    }

    const without = await withHeader(stream.subarray(0, -table), header as Header, blockstore)
    await expect(ipfsz({ blockstore }).verify(without)).rejects.toMatchObject({ name: 'InvalidTrailerError' })
  })

  it.each(CODECS)('refuses bytes after the stream of %s', async (codec) => {
    const { blockstore, cid } = await stored(200_000, codec)

    expect(
      await ipfsz({ blockstore }).verify(await changed(cid, blockstore, () => ({})))
    ).toMatchObject({ size: 200_000n })
    await expect(
      ipfsz({ blockstore }).verify(await changed(cid, blockstore, () => ({}), Uint8Array.of(0)))
    ).rejects.toMatchObject({ name: 'InvalidTrailerError' })
  })

  it('refuses a content CID that does not match the bytes, and names both', async () => {
    const { blockstore, cid, bytes } = await stored(2_500_000)
    const theirs = unixfs({ blockstore: new CountingBlockstore() })
    const actual = await theirs.addByteStream(chunked(bytes, 100_000))
    const good = await changed(cid, blockstore, () => ({ contentCid: actual }))
    expect(await ipfsz({ blockstore }).verify(good)).toMatchObject({ contentCid: actual })

    for (const expected of [CID.createV1(RAW, actual.multihash), await theirs.addBytes(bytes.subarray(1))]) {
      const bad = await changed(cid, blockstore, () => ({ contentCid: expected }))

      await expect(ipfsz({ blockstore }).verify(bad)).rejects.toMatchObject(
        { name: 'ContentMismatchError', cid: unmark(bad), expected, actual }
      )
      // cat does not compare it
      expect(await collect(ipfsz({ blockstore }).cat(bad, { length: 10 }))).toHaveLength(10)
    }
  })
})
