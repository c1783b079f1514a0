import { codecs } from '@ipfsz/codecs/all'
import { encodeSkipped } from '@ipfsz/codecs/skipped'
import { unixfs } from '@helia/unixfs'
import { describe, expect, it } from 'vitest'
import { same } from '../../../test/support/data.ts'
import { encodeSeekTable } from '../src/format/seek-table.ts'
import { ipfsz, mark, unmark } from '../src/index.ts'
import { chunked, collect, CountingBlockstore, random, text } from './fixtures.ts'
import { addInGroups, COUNT, END, pieceOf, putManyFrames, WORDS, wordsFirst, ZEROS } from './group-fixtures.ts'
import type { StoredFile } from '../src/index.ts'

const KIB = 1024

type Trailer = (bytes: Uint8Array) => Uint8Array

/** Bytes before the entries of each group, or of brotli before all, and after them. */
const TABLES = [
  ['gzip', 16, 10],
  ['snappy', 4, 0],
  ['lzo', 42, 8],
  ['brotli', 8, 9]
] as const

describe.each(TABLES)('a file of %s whose frames are listed in a table', (codec, header, footer) => {
  const isSplit = codec !== 'brotli'
  /** Where the entry of a frame is in the table. */
  const at = (frame: number): number => (
    header + 8 * frame + (isSplit ? Math.floor(frame / 4096) * (header + footer) : 0)
  )

  it.each(['size', 'content'] as const)('and is cut by %s reads back, whole and in ranges', async cut => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const bytes = text(900_000)
    const cid = await addInGroups(bytes, codecs[codec](), cut, blockstore)
    const layout = cut === 'content' ? { cut } : { frameSize: 64 * KIB, leafSize: 64 * KIB }
    const other = await fs.addBytes(bytes, { compression: { codec, ...layout } })
    const stream = await collect(fs.cat(unmark(cid)))
    const next = random(3)

    expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
    expect((await fs.stat(cid)).frames).toBe((await fs.stat(other)).frames)
    expect(await fs.verify(cid)).toMatchObject({ size: 900_000n })
    expect((await fs.open(cid)).stored).toBeUndefined()
    // the frames of a file whose root lists them, and the table
    const table = seekTable((await fs.open(other)).stored as StoredFile)
    const expected = isSplit ? encodeSkipped(codec, table.subarray(8, -9)) : table
    expect(same(stream, Buffer.concat([await collect(fs.cat(unmark(other))), expected]))).toBe(true)

    for (let i = 0; i < 20; i++) {
      const [offset, length] = [(next() >>> 0) % 900_000, (next() >>> 0) % 200_000]
      expect(same(await collect(fs.cat(cid, { offset, length })), bytes.subarray(offset, offset + length))).toBe(true)
    }

    if (isSplit) {
      const plain = await unixfs({ blockstore }).addByteStream(chunked(stream, 64 * KIB), {
        chunker: source => source,
        reduceSingleLeafToSelf: false
      })
      expect(same(await collect(fs.cat(mark(plain, codec))), bytes)).toBe(true)
      expect(await fs.verify(mark(plain, codec))).toMatchObject({ size: 900_000n })
    }
  })

  it('is read from its root, a part of the table, and what holds the bytes', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const { cid, size } = await putManyFrames([ZEROS, WORDS, END], pieceOf, COUNT, blockstore, { codec })
    // where frame 4096 begins, which is the first of the second group
    const middle = 4094 * ZEROS.byteLength + 2 * WORDS.byteLength

    for (const [offset, length, expected] of [
      [middle, 10, WORDS.subarray(0, 10)],
      [middle - 10, 20, Buffer.concat([WORDS.subarray(-10), WORDS.subarray(0, 10)])],
      [size - 777, 777, END],
      [0, 5, WORDS.subarray(0, 5)]
    ] as const) {
      blockstore.gets.length = 0
      expect(same(await collect(ipfsz({ blockstore }).cat(cid, { offset, length })), expected)).toBe(true)
      // the root, up to two leaves for each part of the table and for the frames, in one or two groups
      expect(blockstore.gets.length).toBeLessThanOrEqual(length === 20 ? 9 : 5)
    }

    blockstore.gets.length = 0
    expect(await fs.stat(cid)).toMatchObject({ frames: COUNT, size: BigInt(size) })
    expect(blockstore.gets).toEqual([unmark(cid).toString()])
  })

  it('is verified with all of its groups, and what is around their entries', { tags: 'slow' }, async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const put = async (count: number, trailer?: Trailer): ReturnType<typeof putManyFrames> => (
      putManyFrames([ZEROS, END], frame => frame < count - 1 ? 0 : 1, count, blockstore, { codec, trailer })
    )
    const { cid, size } = await put(4097)
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(size) })

    for (const [count, place] of [[3, 0], [3, header - 1], [3, -1], [4097, at(4096) - 1]] as const) {
      const { cid } = await put(count, bytes => withByte(bytes, place))
      await expect(fs.verify(cid), `${place}`).rejects.toMatchObject({ name: 'InvalidTrailerError' })
    }
  })

  it.each<[string, number, number, number]>([
    ['has no compressed bytes', 0, 0, 0],
    ['has more compressed bytes than a codec makes', 0, 0, 0xffffffff],
    ['has another length than its group says', 0, 0, 20_000],
    ['has too few original bytes', 0, 4, 65_535],
    ['has more original bytes than a frame may have', 0, 4, 128 * KIB + 1],
    ['has another size than its group says', 0, 4, 100_001],
    ['is the last, and has no original bytes', 4099, 4, 0],
    ['is the last, and has another length than its group says', 4099, 0, 1]
  ])('is refused if a frame %s, before it is read', async (_, frame, field, value) => {
    const blockstore = new CountingBlockstore()
    const { cid, size } = await putManyFrames([ZEROS, WORDS, END], wordsFirst, 4100, blockstore, {
      codec,
      trailer: bytes => {
        new DataView(bytes.buffer, bytes.byteOffset).setUint32(at(frame) + field, value, true)

        return bytes
      }
    })

    await expect(collect(ipfsz({ blockstore }).cat(cid, { offset: frame === 0 ? 0 : size - 1, length: 1 })))
      .rejects.toMatchObject({ name: 'InvalidTrailerError', cid: unmark(cid) })
  })

  it.each<[string, Trailer]>([
    ['a byte less', bytes => bytes.subarray(1)],
    ['a byte more', bytes => Buffer.concat([bytes, Uint8Array.of(0)])],
    ['two groups more', bytes => Buffer.concat([bytes, bytes])],
    ['no bytes', () => new Uint8Array(0)]
  ])('is refused if its table has %s', async (_, trailer) => {
    const blockstore = new CountingBlockstore()
    const { cid } = await putManyFrames([ZEROS], () => 0, 4100, blockstore, { codec, trailer })

    await expect(ipfsz({ blockstore }).stat(cid)).rejects.toMatchObject({ name: 'InvalidHeaderError', rule: 'groups' })
  })
})

/** The seek table of a file whose root lists its frames. */
function seekTable ({ size, frameSize, frameSizes, frameLengths }: StoredFile): Uint8Array {
  const sizeOf = (frame: number): number => frameSizes?.[frame] ?? Math.min(frameSize, size - frame * frameSize)

  return encodeSeekTable(frameLengths.map((length, i) => ({ length, size: sizeOf(i) })), frameLengths.length)
}

function withByte (bytes: Uint8Array, at: number): Uint8Array {
  bytes[(at + bytes.byteLength) % bytes.byteLength] ^= 1

  return bytes
}
