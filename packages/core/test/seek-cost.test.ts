import { codecs } from '@ipfsz/codecs/all'
import { describe, expect, it } from 'vitest'
import { GIB, MIB, repeated, SeekableParts } from '../../../test/support/seekable-parts.ts'
import { ipfsz, mark } from '../src/index.ts'
import { collect, CountingBlockstore, text } from './fixtures.ts'
import type { Part } from '../../../test/support/seekable-parts.ts'
import type { CID } from 'multiformats/cid'

const BYTES = text(1000)

describe.each(['zstd', 'lz4'] as const)('a range of a %s stream with a hostile seek table', codec => {
  /** A stream of parts, each with an entry in the table, marked. */
  async function open (
    make: (parts: SeekableParts) => Promise<Array<readonly [Part, size: number]>>
  ): Promise<{ fs: ReturnType<typeof ipfsz>, cid: CID, blockstore: CountingBlockstore }> {
    const blockstore = new CountingBlockstore()
    const parts = new SeekableParts(blockstore)
    const cid = await parts.stream(await make(parts))

    return { fs: ipfsz({ blockstore }), cid: mark(cid, codec), blockstore }
  }

  async function frame (parts: SeekableParts, bytes = BYTES): Promise<readonly [Part, number]> {
    return [await parts.leaf(await codecs[codec]().compress(bytes)), bytes.byteLength]
  }

  it.each([2 * GIB, 3 * MIB])('does not fetch entries without original bytes, of %s bytes each', async size => {
    const { fs, cid, blockstore } = await open(async parts => [
      await frame(parts), ...repeated([await parts.zeros(size), 0] as const, 512), await frame(parts)
    ])
    blockstore.gets.length = 0

    expect(await collect(fs.cat(cid, { offset: 999, length: 2 }))).toEqual(Buffer.from([BYTES[999], BYTES[0]]))
    // the root, the table and two frames
    expect(blockstore.gets.length).toBeLessThan(10)
  })

  it('reads what lies between frames if it is short', async () => {
    const gap = new Uint8Array(100)
    // a skippable frame
    new DataView(gap.buffer).setUint32(0, 0x184d2a50, true)
    new DataView(gap.buffer).setUint32(4, 92, true)
    const { fs, cid } = await open(async parts => {
      const [first] = await frame(parts)
      const skipped = [await parts.leaf(gap), 0] as const

      return [[first, 1000], skipped, skipped, [first, 1000], skipped, [first, 1000]]
    })

    expect(Buffer.compare(await collect(fs.cat(cid, { offset: 1 })), Buffer.concat([BYTES, BYTES, BYTES]).subarray(1)))
      .toBe(0)
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: 3000n })
  })

  it('is refused if it would cost far more stored bytes than it has original ones', async () => {
    for (const size of [1, 1000, 64 * MIB]) {
      const { fs, cid, blockstore } = await open(async parts => [
        await frame(parts), ...repeated([await parts.zeros(2 * GIB), size] as const, 512), await frame(parts)
      ])
      blockstore.gets.length = 0

      await expect(collect(fs.cat(cid, { offset: 999, length: 513 * size }))).rejects
        .toMatchObject({ name: 'InvalidTrailerError' })
      expect(blockstore.gets.length).toBeLessThan(10)
      // ranges elsewhere are fine
      expect(await collect(fs.cat(cid, { offset: 1, length: 10 }))).toEqual(Buffer.from(BYTES.subarray(1, 11)))
    }
  })

  it('is refused if it would cost a block for each byte', async () => {
    const { fs, cid, blockstore } = await open(async parts => {
      const one = await frame(parts, BYTES.subarray(0, 1))
      const gap = [await parts.zeros(2 * MIB), 0] as const

      return repeated([one, gap], 1000).flat()
    })
    blockstore.gets.length = 0

    await expect(collect(fs.cat(cid, { offset: 1, length: 900 }))).rejects.toThrow('seek table')
    expect(blockstore.gets.length).toBeLessThan(10)
    expect(await collect(fs.cat(cid, { offset: 1, length: 3 }))).toEqual(Buffer.alloc(3, BYTES[0]))
  })

  it('is refused if it is read from the front, and as much lies before its end', { tags: 'slow' }, async () => {
    const head = new Uint8Array(8)
    // the head of a skippable frame, of 2 GiB
    new DataView(head.buffer).setUint32(0, 0x184d2a50, true)
    new DataView(head.buffer).setUint32(4, 2 * GIB, true)

    for (const hasTable of [true, false]) {
      const { fs, cid, blockstore } = await open(async parts => {
        const [first] = await frame(parts)
        const skipped = [[await parts.leaf(head), 0], [await parts.zeros(2 * GIB), 0]] as const
        const all = [[first, 1000], ...repeated(skipped, 100).flat(), [first, 1000]] as const

        // a wrong size, so that the table is ignored
        return hasTable ? [...all] : [...all, [{ ...first, size: first.size + 1 }, 5]]
      })
      blockstore.gets.length = 0

      await expect(collect(fs.cat(cid, { length: 1500 })), `${hasTable}`).rejects
        .toMatchObject({ name: 'CorruptFrameError' })
      expect(blockstore.gets.length).toBeLessThan(60)
      expect((await collect(fs.cat(cid, { length: 1000 }))).byteLength).toBe(1000)
    }
  })

  it('is refused if original bytes have no stored ones', async () => {
    const { fs, cid } = await open(async parts => {
      const [first] = await frame(parts)
      const none = { cid: (await parts.leaf(new Uint8Array(0))).cid, size: 0 }

      return [[first, 1000], [none, 1000], [none, 20 * MIB], [first, 1000]]
    })

    for (const [offset, length] of [[999, 2], [1, 5000], [1500, 10], [2000, 21 * MIB]]) {
      await expect(collect(fs.cat(cid, { offset, length }))).rejects.toMatchObject({ name: 'CorruptFrameError' })
    }
  })
})
