import { lz4 } from '@ipfsz/codecs/lz4'
import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { same } from '../../../test/support/data.ts'
import { ipfsz, mark, MARKERS, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, random, text } from './fixtures.ts'
import { addInGroups, COUNT, END, pieceOf, putManyFrames, WORDS, wordsFirst, ZEROS } from './group-fixtures.ts'
import type { Header } from '../src/format/header.ts'

const KIB = 1024
const HEAD = 8

describe('a file whose frames are listed in its seek table', () => {
  it.each([
    ['zstd', zstd(), 'size'],
    ['zstd, cut by content,', zstd(), 'content'],
    ['lz4', lz4(), 'size'],
    ['lz4, cut by content,', lz4(), 'content']
  ] as const)('of %s reads back, whole and in ranges, and has the stream of other files', async (_, codec, cut) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const bytes = text(900_000)
    const cid = await addInGroups(bytes, codec, cut, blockstore)
    const layout = cut === 'content' ? { cut } : { frameSize: 64 * KIB, leafSize: 64 * KIB }
    const other = await fs.addBytes(bytes, { compression: { codec: codec.name, ...layout } })
    const next = random(3)

    expect(cid).not.toEqual(other)
    expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
    expect(same(await collect(fs.cat(unmark(cid))), await collect(fs.cat(unmark(other))))).toBe(true)
    expect((await fs.stat(cid)).frames).toBe((await fs.stat(other)).frames)
    expect(await fs.verify(cid)).toMatchObject({ size: 900_000n })
    expect((await fs.open(cid)).stored).toBeUndefined()

    for (let i = 0; i < 20; i++) {
      const [offset, length] = [(next() >>> 0) % 900_000, (next() >>> 0) % 200_000]
      expect(same(await collect(fs.cat(cid, { offset, length })), bytes.subarray(offset, offset + length))).toBe(true)
    }
  })

  it('is a base, and keeps its frames when its mode changes', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const bytes = text(300_000)
    const cid = await fs.chmod(await addInGroups(bytes, zstd(), 'size', blockstore), 0o600)
    const next = await fs.addBytes(bytes.subarray(100), { compression: { codec: 'zstd', base: cid } })

    expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
    expect((await fs.stat(next)).base?.equals(unmark(cid))).toBe(true)
    expect(same(await collect(fs.cat(next)), bytes.subarray(100))).toBe(true)
  })

  it('is read from its root, a part of the seek table, and what holds the bytes', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const { cid, size } = await putManyFrames([ZEROS, WORDS, END], pieceOf, COUNT, blockstore)
    // where frame 4096 begins, which is the first of the second group
    const middle = 4094 * ZEROS.byteLength + 2 * WORDS.byteLength

    for (const [offset, length, expected] of [
      [middle, 10, WORDS.subarray(0, 10)],
      [middle - 10, 20, Buffer.concat([WORDS.subarray(-10), WORDS.subarray(0, 10)])],
      [middle + WORDS.byteLength - 5, 10, Buffer.concat([WORDS.subarray(-5), new Uint8Array(5)])],
      [size - 777, 777, END],
      [0, 5, WORDS.subarray(0, 5)]
    ] as const) {
      blockstore.gets.length = 0
      expect(same(await collect(ipfsz({ blockstore }).cat(cid, { offset, length })), expected)).toBe(true)
      // the root, up to two leaves for each part of the table and for the frames, in one or two groups
      expect(blockstore.gets.length).toBeLessThanOrEqual(offset === middle - 10 ? 9 : 5)
    }

    blockstore.gets.length = 0
    expect(await fs.stat(cid)).toMatchObject({ frames: COUNT, size: BigInt(size) })
    expect(blockstore.gets).toEqual([unmark(cid).toString()])
  })

  it('is verified with all of its groups, and what is around their entries', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const { cid, size } = await putManyFrames([ZEROS, END], frame => frame < 4099 ? 0 : 1, 4100, blockstore)
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(size) })

    for (const at of [0, 4, -9, -5, -1]) {
      const damaged = await putManyFrames([ZEROS, END], frame => frame < 2 ? 0 : 1, 3, blockstore, {
        trailer: bytes => withByte(bytes, at)
      })
      await expect(fs.verify(damaged.cid)).rejects.toMatchObject({ name: 'InvalidTrailerError' })
    }
  })

  it.each<[string, number, number]>([
    ['has no compressed bytes', HEAD, 0],
    ['has more compressed bytes than a codec makes', HEAD, 0xffffffff],
    ['has another length than its group says', HEAD, 20_000],
    ['has no original bytes', HEAD + 4, 0],
    ['has too few original bytes', HEAD + 4, 65_535],
    ['has more original bytes than a frame may have', HEAD + 4, 128 * KIB + 1],
    ['has another size than its group says', HEAD + 4, 100_001],
    ['is the last, and has no original bytes', HEAD + 4099 * 8 + 4, 0],
    ['is the last, and has another length than its group says', HEAD + 4099 * 8, 1]
  ])('is refused if a frame %s, before it is read', async (_, at, value) => {
    const blockstore = new CountingBlockstore()
    const { cid, size } = await putManyFrames([ZEROS, WORDS, END], wordsFirst, 4100, blockstore, {
      trailer: bytes => {
        new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, value, true)

        return bytes
      }
    })
    const offset = at < 1000 ? 0 : size - 1

    await expect(collect(ipfsz({ blockstore }).cat(cid, { offset, length: 1 })))
      .rejects.toMatchObject({ name: 'InvalidTrailerError', cid: unmark(cid) })
  })

  it.each<[string, (header: Header) => Header]>([
    ['a group is missing', header => withGroups(header, groups => groups.slice(1))],
    ['there is one too many', header => withGroups(header, groups => [...groups, { length: 0, size: 0 }])],
    ['a group has fewer bytes than frames', header => withGroups(header, ([a, b]) => [
      { ...a, length: 4095 }, { ...b, length: b.length + a.length - 4095 }
    ])],
    ['a group has fewer original bytes than its frames', header => withGroups(header, ([a, b]) => [
      { ...a, size: a.size - 2 ** 20 }, { ...b, size: b.size + 2 ** 20 }
    ])],
    ['its groups do not add up to its size', header => ({ ...header, size: header.size + 1 })],
    ['its seek table would have another length', header => withGroups(header, ([a, b]) => [
      a, { ...b, length: b.length - 1 }
    ])],
    ['its codec has another table', header => ({ ...header, codec: MARKERS.gzip })]
  ])('is refused if %s', async (_, header) => {
    const blockstore = new CountingBlockstore()
    const { cid } = await putManyFrames([ZEROS], () => 0, 4100, blockstore, { header })
    const { codec } = header({ codec: MARKERS.zstd, size: 0, frameSize: 0, frameLengths: [] })

    await expect(ipfsz({ blockstore }).stat(mark(unmark(cid), codec)))
      .rejects.toMatchObject({ name: 'InvalidHeaderError', rule: 'groups' })
  })
})

function withByte (bytes: Uint8Array, at: number): Uint8Array {
  bytes[(at + bytes.byteLength) % bytes.byteLength] ^= 1

  return bytes
}

type Groups = NonNullable<Header['table']>['groups']

function withGroups (header: Header, change: (groups: Groups) => Groups): Header {
  const { table } = header

  return table == null ? header : { ...header, table: { ...table, groups: change(table.groups) } }
}
