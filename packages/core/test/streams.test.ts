/** @module-tag long */
import { unixfs } from '@helia/unixfs'
import { zstd } from '@ipfsz/codecs/zstd'
import { codecs } from '@ipfsz/codecs/all'
import { createGzip, constants, zstdCompressSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, MARKERS, TREE_CODE, unmark } from '../src/index.ts'
import { encodeSeekTable } from '../src/format/seek-table.ts'
import { chunked, collect, CountingBlockstore, noise, stored, text } from './fixtures.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Ipfsz } from '../src/index.ts'

const MIB = 1024 * 1024
const LEAF = 64 * 1024

interface Stream {
  fs: Ipfsz
  blockstore: CountingBlockstore
  cid: CID
}

/** A stream that another tool made, added as a plain file and marked later. */
async function streamOf (codec: CodecName, bytes: Uint8Array): Promise<Stream> {
  const blockstore = new CountingBlockstore()
  const plain = await unixfs({ blockstore }).addByteStream(
    chunked(bytes, LEAF),
    { chunker: source => source, reduceSingleLeafToSelf: false }
  )

  return { fs: ipfsz({ blockstore }), blockstore, cid: mark(plain, MARKERS[codec]) }
}

async function compress (codec: CodecName, ...parts: Uint8Array[]): Promise<Uint8Array> {
  return Buffer.concat(await Promise.all(parts.map(async part => codecs[codec]().compress(part))))
}

/** Frames and their seek table. `checksums` adds dummy checksums to its entries. */
function seekable (frames: Array<{ frame: Uint8Array, size: number }>, checksums = false): Uint8Array {
  const sizes = frames.map(({ frame, size }) => ({ length: frame.byteLength, size }))
  const table = Buffer.from(encodeSeekTable(sizes, frames.length))

  if (!checksums) {
    return Buffer.concat([...frames.map(({ frame }) => frame), table])
  }

  const entries = frames.map((_, i) => Buffer.concat([table.subarray(8 + i * 8, 16 + i * 8), Buffer.from('cafe')]))
  const footer = Buffer.from(table.subarray(-9))
  footer[4] = 0x80
  const header = Buffer.from(table.subarray(0, 8))
  header.writeUInt32LE(frames.length * 12 + 9, 4)

  return Buffer.concat([...frames.map(({ frame }) => frame), header, ...entries, footer])
}

/** A frame without a content size, from a tool that does not know the size in advance. */
function unsized (bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(
    zstdCompressSync(bytes, { params: { [constants.ZSTD_c_contentSizeFlag]: 0, [constants.ZSTD_c_checksumFlag]: 1 } })
  )
}

const RANGES = [
  [0, 10],
  [1, 1],
  [70_000, 100],
  [599_999, 1],
  [600_000, 10],
  [250_000, 300_000],
  [500_000, 10 ** 9],
  [3, 0]
] as const

describe.each(['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo'] as const)('a %s stream without a header', codec => {
  const bytes = text(600_000)

  it('is read as its original bytes, whole and in ranges', async () => {
    const { fs, cid } = await streamOf(codec, codec === 'brotli' ? await compress(codec, bytes) : await compress(
      codec,
      bytes.subarray(0, 250_000),
      bytes.subarray(250_000)
    ))

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)

    for (const [offset, length] of RANGES) {
      expect(
        Buffer.compare(await collect(fs.cat(cid, { offset, length })), bytes.subarray(offset, offset + length)),
        `${offset}, ${length}`
      ).toBe(0)
    }

    await expect(collect(fs.cat(cid, { offset: 600_001 }))).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(collect(fs.cat(cid, { offset: 0.5 }))).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(collect(fs.cat(cid, { length: -1 }))).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('is read as stored bytes by its plain CID, and below a tree', async () => {
    const stream = await compress(codec, bytes)
    const { fs, blockstore, cid } = await streamOf(codec, stream)
    const helia = unixfs({ blockstore })
    const directory = await helia.cp(unmark(cid), await helia.addDirectory(), 'stream')

    expect(Buffer.compare(await collect(fs.cat(unmark(cid))), stream)).toBe(0)
    expect(Buffer.compare(await collect(fs.cat(mark(directory, TREE_CODE), { path: 'stream' })), stream)).toBe(0)
    await expect(fs.cp(cid, directory, 'again')).rejects.toMatchObject({ name: 'MissingHeaderError' })
  })

  it('is read from its start without fetching the rest', { tags: 'slow' }, async () => {
    const { fs, blockstore, cid } = await streamOf(codec, await compress(codec, noise(8 * MIB)))
    blockstore.gets.length = 0
    expect((await collect(fs.cat(cid, { length: 100 }))).byteLength).toBe(100)
    // blocks of LZ4 hold 4 MiB, which are 64 leaves
    expect(blockstore.gets.length).toBeLessThan(codec === 'lz4' ? 90 : 40)
  })

  it('is refused if it has another format, is truncated, or is followed by other bytes', async () => {
    const stream = await compress(codec, bytes)

    for (const bad of [noise(100), noise(MIB), stream.subarray(0, -1), Buffer.concat([stream, text(1000)])]) {
      const { fs, cid } = await streamOf(codec, bad)
      await expect(collect(fs.cat(cid))).rejects.toMatchObject({ name: 'CorruptFrameError', codec })
    }
  })

  it('has a known original size only with extended: true, and is verified', async () => {
    const stream = await compress(codec, bytes)
    const { fs, cid } = await streamOf(codec, stream)

    expect(await fs.stat(cid)).toMatchObject(
      { codec, size: BigInt(stream.byteLength), sizeKnown: false, frames: 0, plainCid: unmark(cid), markedCid: cid }
    )
    expect(await fs.stat(cid, { extended: true })).toMatchObject({ codec, size: 600_000n, sizeKnown: true })
    expect(await fs.stat(unmark(cid))).toMatchObject({ codec: 'none', size: BigInt(stream.byteLength) })
    expect(await fs.verify(cid)).toMatchObject({ size: 600_000n })
  })
})

describe('a stream without a header', () => {
  it('is refused if its codec is missing, or cannot read streams', async () => {
    const { cid, blockstore } = await streamOf('zstd', await compress('zstd', text(1000)))
    const codec = { ...zstd(), implementation: 'js' as const, decompressStream: undefined }

    await expect(
      collect(ipfsz({ blockstore }, { codecs: [] }).cat(cid))
    ).rejects.toMatchObject({ name: 'UnknownCodecError', codec: 'zstd' })
    await expect(
      collect(ipfsz({ blockstore }, { codecs: [codec] }).cat(cid))
    ).rejects.toMatchObject({ name: 'MissingImplementationError', codec: 'zstd' })
  })

  it('is refused if its window exceeds 8 MiB, or maxWindowSize', async () => {
    // a window of 16 MiB and no content size; a single block of 1,000 uncompressed bytes
    const { fs, cid } = await streamOf('zstd', Buffer.concat([Buffer.from('28b52ffd0070411f00', 'hex'), text(1000)]))
    await expect(collect(fs.cat(cid))).rejects.toMatchObject({ name: 'WindowTooLargeError', size: 16 * MIB })
    expect((await collect(fs.cat(cid, { maxWindowSize: 16 * MIB }))).byteLength).toBe(1000)
  })

  it('is refused if a block is missing', async () => {
    const { fs, blockstore, cid } = await streamOf('gzip', await compress('gzip', noise(MIB)))
    await blockstore.delete(CID.parse(blockstore.puts[2]))
    await expect(collect(fs.cat(cid))).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('of 1 GiB is read in chunks of at most 1 MiB', { tags: 'nightly' }, async () => {
    const gzip = createGzip({ level: 1 })
    const zeros = new Uint8Array(4 * MIB)
    const write = async (): Promise<void> => {
      for (let i = 0; i < 256; i++) {
        await new Promise(resolve => { gzip.write(zeros, resolve) })
      }

      gzip.end()
    }
    const [chunks] = await Promise.all([Array.fromAsync<Uint8Array>(gzip), write()])
    const { fs, cid } = await streamOf('gzip', Buffer.concat(chunks))
    let size = 0

    for await (const bytes of fs.cat(cid)) {
      expect(bytes.byteLength).toBeLessThanOrEqual(MIB)
      size += bytes.byteLength
    }

    expect(size).toBe(1024 * MIB)
  })
})

describe.each(['zstd', 'lz4'] as const)('a seekable %s stream', codec => {
  const bytes = noise(2 * MIB)
  const sizes = [300_000, 1, 0, 700_000, 500_000, 2 * MIB - 1_500_001]

  async function framed (
    make: (part: Uint8Array) => Uint8Array | Promise<Uint8Array> = part => codecs[codec]().compress(part)
  ): Promise<Array<{ frame: Uint8Array, size: number }>> {
    let start = 0

    return Promise.all(sizes.map(async size => {
      const part = bytes.subarray(start, start += size)

      return { frame: await make(part), size }
    }))
  }

  it.each([false, true])('is read at any offset from the blocks that hold it, with checksums: %s', async checksums => {
    const { fs, blockstore, cid } = await streamOf(codec, seekable(await framed(), checksums))
    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)

    for (const [offset, length] of [
      [1, 10],
      [299_999, 3],
      [300_000, 1],
      [300_001, 5],
      [999_999, 600_000],
      [1_000_001, 10 ** 9],
      [2 * MIB, 1]
    ]) {
      expect(
        Buffer.compare(await collect(fs.cat(cid, { offset, length })), bytes.subarray(offset, offset + length)),
        `${offset}, ${length}`
      ).toBe(0)
    }

    await fs.stat(cid)
    blockstore.gets.length = 0
    await collect(fs.cat(cid, { offset: 300_000, length: 1 }))
    // the root unless it is cached, the leaf with the table, and one or two leaves with the frame of one byte
    expect(blockstore.gets.length).toBeLessThanOrEqual(4)

    expect(await fs.stat(cid)).toMatchObject({ size: BigInt(2 * MIB), sizeKnown: true, frames: 6 })
    await expect(
      collect(fs.cat(cid, { offset: 2 * MIB + 1 }))
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('is read from its start if its table is invalid', async () => {
    const good = seekable(await framed())
    const table = good.byteLength - 8 - 6 * 8 - 9

    for (const [at, value] of [
      [good.byteLength - 9, 5],
      [good.byteLength - 9, 0xffffffff],
      [good.byteLength - 5, 0xb1ea927c],
      [table, 0x184d2a5d],
      [table + 8, 7]
    ]) {
      const bad = Buffer.from(good)
      bad.writeUInt32LE(value, at)
      const { fs, cid } = await streamOf(codec, bad)
      expect(Buffer.compare(
        await collect(fs.cat(cid, { offset: 1_000_000, length: 1000 })),
        bytes.subarray(1_000_000, 1_001_000)
      ), `${at}`).toBe(0)
    }
  })

  it('is refused if a frame does not hold what its table states', async () => {
    for (const change of [1, -1]) {
      const { fs, cid } = await streamOf(
        codec,
        seekable((await framed()).map(({ frame, size }, i) => ({ frame, size: i === 3 ? size + change : size })))
      )
      await expect(
        collect(fs.cat(cid, { offset: 400_000, length: 10 }))
      ).rejects.toMatchObject({ name: 'CorruptFrameError', codec })
      // reading from the start does not use the table
      expect((await collect(fs.cat(cid))).byteLength).toBe(2 * MIB)
    }
  })

  it.each([
    ['that counts too many bytes', [1]],
    ['that counts too few bytes', [-1]],
    ['that misplaces the start of a frame', [1, -1]]
  ])('with a table %s fails verification', async (_, changes) => {
    const { fs, cid } = await streamOf(
      codec,
      seekable((await framed()).map(({ frame, size }, i) => ({ frame, size: size + (changes[i] ?? 0) })))
    )

    await expect(fs.verify(cid)).rejects.toMatchObject({ name: 'InvalidTrailerError', cid: unmark(cid) })
  })

  it('passes verification', async () => {
    const frames = await framed()
    const { fs, cid } = await streamOf(codec, seekable(frames))

    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(2 * MIB), frames: frames.length })
  })

  it('may have table entries above 16 MiB that hold several frames', async () => {
    const large = new Uint8Array(18 * MIB)
    large.set(text(MIB), 17 * MIB)
    const first = await compress(codec, large.subarray(0, 9 * MIB), large.subarray(9 * MIB))
    const { fs, blockstore, cid } = await streamOf(
      codec,
      seekable([{ frame: first, size: 18 * MIB }, { frame: await compress(codec, bytes, bytes), size: 4 * MIB }])
    )

    blockstore.gets.length = 0
    expect(Buffer.compare(
      await collect(fs.cat(cid, { offset: 17 * MIB, length: 5 * MIB })),
      Buffer.concat([large.subarray(17 * MIB), bytes, bytes])
    )).toBe(0)
    expect(
      Buffer.compare(await collect(fs.cat(cid, { offset: 20 * MIB, length: 100 })), bytes.subarray(0, 100))
    ).toBe(0)
  })

  it('is read at any offset if IPFSz wrote it and its header is gone', async () => {
    const { blockstore, cid, bytes } = await stored(1_000_000, codec)
    const content = await collect(ipfsz({ blockstore }).cat(unmark(cid)))
    const { fs, cid: headerless } = await streamOf(codec, content)

    expect(await fs.stat(headerless)).toMatchObject({ size: 1_000_000n, sizeKnown: true, frames: 16 })

    for (const [offset, length] of [[0, 1_000_000], [1, 999_999], [500_000, 70_000]]) {
      expect(
        Buffer.compare(await collect(fs.cat(headerless, { offset, length })), bytes.subarray(offset, offset + length))
      ).toBe(0)
    }
  })

  if (codec === 'zstd') {
    it('may have frames without a content size', async () => {
      const { fs, cid } = await streamOf(codec, seekable(await framed(unsized)))
      expect(Buffer.compare(
        await collect(fs.cat(cid, { offset: 299_999, length: 1_000_000 })),
        bytes.subarray(299_999, 1_299_999)
      )).toBe(0)
    })
  }
})
