import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { same } from '../../../test/support/data.ts'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, noise, random, text } from './fixtures.ts'
import { addInGroups, putManyFrames } from './group-fixtures.ts'
import type { Header, RegionGroup } from '../src/format/header.ts'
import type { ManyFrames } from './group-fixtures.ts'

const KIB = 1024
const HEAD = 8
const ENTRY = 20

/** Does not shrink, so that all that is saved comes from the base. */
const FIRST = noise(700 * KIB)
const SECOND = Buffer.concat([FIRST.subarray(0, 100_000), text(70_000), FIRST.subarray(90_000)])

/** Zeros without a region, and two pieces that are in the base. */
const PIECES = [new Uint8Array(64 * KIB), FIRST.subarray(5000, 5000 + 64 * KIB), FIRST.subarray(300_000, 300_500)]
const REGIONS = [
  { offset: 0, length: 0 },
  { offset: 4000, length: 70_000 },
  { offset: 290_000, length: 20_000 }
]

/** Two groups: the last of each is in the base. */
const COUNT = 4098

function pieceOf (frame: number): number {
  return frame === 4095 || frame === 4096 ? 1 : frame === COUNT - 1 ? 2 : 0
}

interface Based extends ManyFrames {
  blockstore: CountingBlockstore
}

/** A file whose frames are in a region table, changed before it is written. */
async function putBased (
  changes: Parameters<typeof putManyFrames>[4] = {},
  count = COUNT,
  pieces = pieceOf
): Promise<Based> {
  const blockstore = new CountingBlockstore()
  const base = await ipfsz({ blockstore }).addBytes(FIRST, { compression: { codec: 'none' } })
  const link = { cid: base, size: FIRST.byteLength, dagSize: FIRST.byteLength }
  const file = await putManyFrames(PIECES, pieces, count, blockstore, changes, { link, bytes: FIRST, regions: REGIONS })

  return { ...file, blockstore }
}

function withUint32 (at: number, value: number): (bytes: Uint8Array) => Uint8Array {
  return bytes => {
    new DataView(bytes.buffer, bytes.byteOffset).setUint32((at + bytes.byteLength) % bytes.byteLength, value, true)

    return bytes
  }
}

describe('a file with a base whose frames are listed in a region table', () => {
  it('reads back, whole and in ranges, with the frames of a file whose root lists them', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const base = await fs.addBytes(FIRST)
    const cid = await addInGroups(SECOND, zstd(), 'size', blockstore, base)
    const listed = await fs.addBytes(SECOND, {
      compression: { codec: 'zstd', level: 3, base, frameSize: 64 * KIB, leafSize: 64 * KIB }
    })
    const [stream, other] = [await collect(fs.cat(unmark(cid))), await collect(fs.cat(unmark(listed)))]
    const next = random(3)

    expect(cid).not.toEqual(listed)
    expect(same(await collect(fs.cat(cid)), SECOND)).toBe(true)
    expect(await fs.stat(cid)).toMatchObject({ frames: 13, base: unmark(base), baseSize: BigInt(FIRST.byteLength) })
    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(SECOND.byteLength) })
    expect((await fs.open(cid)).stored).toBeUndefined()
    // the same frames, a table in a skippable frame, and the base
    const frames = stream.byteLength - HEAD - 13 * ENTRY - HEAD - FIRST.byteLength
    expect(same(stream.subarray(0, frames), other.subarray(0, frames))).toBe(true)
    expect(same(stream.subarray(frames, frames + HEAD), Buffer.from('5e2a4d1804010000', 'hex'))).toBe(true)
    expect(same(stream.subarray(frames + HEAD + 13 * ENTRY), other.subarray(frames))).toBe(true)

    for (let i = 0; i < 15; i++) {
      const [offset, length] = [(next() >>> 0) % SECOND.byteLength, (next() >>> 0) % 200_000]
      expect(same(await collect(fs.cat(cid, { offset, length })), SECOND.subarray(offset, offset + length))).toBe(true)
    }
  })

  it('is replaced by its base as a base, and keeps both when its mode changes', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const base = await fs.addBytes(FIRST)
    const cid = await fs.chmod(await addInGroups(SECOND, zstd(), 'size', blockstore, base), 0o600)
    const next = await fs.addBytes(SECOND.subarray(100), { compression: { codec: 'zstd', base: cid } })

    expect(same(await collect(fs.cat(cid)), SECOND)).toBe(true)
    expect((await fs.stat(next)).base?.equals(unmark(base))).toBe(true)
    expect(same(await collect(fs.cat(next)), SECOND.subarray(100))).toBe(true)
  })

  it('is read from its root, a part of the table, and what holds the bytes and their region', async () => {
    const { cid, size, blockstore } = await putBased()
    const fs = ipfsz({ blockstore })

    expect(await fs.verify(cid)).toMatchObject({ size: BigInt(size) })

    for (const [offset, length, expected] of [
      [4095 * 64 * KIB, 10, PIECES[1].subarray(0, 10)],
      [4096 * 64 * KIB - 10, 20, Buffer.concat([PIECES[1].subarray(-10), PIECES[1].subarray(0, 10)])],
      [size - 500, 500, PIECES[2]],
      [0, 5, new Uint8Array(5)]
    ] as const) {
      blockstore.gets.length = 0
      expect(same(await collect(ipfsz({ blockstore }).cat(cid, { offset, length })), expected)).toBe(true)
      // the root, for one or two groups up to three leaves of the table and one of frames, and the base
      expect(new Set(blockstore.gets).size).toBeLessThanOrEqual(length === 20 ? 10 : 6)
    }

    blockstore.gets.length = 0
    expect(await fs.stat(cid)).toMatchObject({ frames: COUNT, size: BigInt(size) })
    expect(new Set(blockstore.gets)).toEqual(new Set([unmark(cid).toString()]))
  })

  it.each<[string, number, number]>([
    ['has no compressed bytes', 0, 0],
    ['has more original bytes than a frame may have', 4, 128 * KIB + 1],
    ['has another size than its group says', 4, 100_001],
    ['has an offset, and no region', 8, 1],
    ['has another region than its group says', 16, 8],
    ['has a region of too few bytes', 16, 7],
    ['has a region of too many bytes', 16, 16 * KIB * KIB + 1],
    ['has a region beyond 2^53', ENTRY + 12, 2 ** 31],
    ['has a larger region than its group says', ENTRY + 16, 70_001],
    ['has a region that ends after the base', ENTRY + 8, 700 * KIB - 69_999]
  ])('is refused if a frame %s', async (name, at, value) => {
    const { cid, blockstore } = await putBased({ trailer: withUint32(HEAD + at, value) }, 3, frame => frame)
    const reading = collect(ipfsz({ blockstore }).cat(cid))

    await expect(reading).rejects.toMatchObject(name.endsWith('after the base')
      ? { name: 'UnreadableBaseError', cause: { name: 'InvalidBaseError' } }
      : { name: 'InvalidTrailerError', cid: unmark(cid) })
  })

  it('fails if the table gives a frame the wrong part of the base', async () => {
    const { cid, blockstore } = await putBased({ trailer: withUint32(HEAD + ENTRY + 8, 4001) }, 3, frame => frame)

    await expect(collect(ipfsz({ blockstore }).cat(cid)))
      .rejects.toMatchObject({ name: 'WrongBaseError', cause: { name: 'CorruptFrameError' } })
  })

  it.each([0, 4, -8, -4])('is verified with what is around the entries: byte %d', async at => {
    const { cid, blockstore } = await putBased({ trailer: withUint32(at, 5) }, 3, frame => frame)

    await expect(ipfsz({ blockstore }).verify(cid)).rejects.toMatchObject({ name: 'InvalidTrailerError' })
  })

  it.each<[string, string, (regions: readonly RegionGroup[]) => RegionGroup[]]>([
    ['one is missing', 'regions', ([a]) => [a]],
    ['one is too many', 'regions', ([a, b]) => [a, b, { size: 0, largest: 0 }]],
    ['the largest is too small', 'regions', ([, b]) => [{ size: 7, largest: 7 }, b]],
    ['the largest is too large', 'regions', ([, b]) => [{ size: 2 ** 24 + 1, largest: 2 ** 24 + 1 }, b]],
    ['all are less than the largest', 'regions', ([, b]) => [{ size: 99, largest: 100 }, b]],
    ['all are more than so many frames can have', 'regions', ([a]) => [a, { size: 1001, largest: 500 }]],
    ['there are bytes without a region', 'regions', ([, b]) => [{ size: 9, largest: 0 }, b]],
    ['all of the file are more than its size allows', 'regions', ([, b]) => [{ size: 2 ** 31, largest: 2 ** 20 }, b]]
  ])('is refused by its root if of the regions of groups %s', async (_, rule, change) => {
    const { cid, blockstore } = await putBased({
      header: (header): Header => header.table?.regions == null
        ? header
        : { ...header, table: { ...header.table, regions: change(header.table.regions) } }
    })

    await expect(ipfsz({ blockstore }).stat(cid)).rejects.toMatchObject({ name: 'InvalidHeaderError', rule })
  })
})
