import { unixfs } from '@helia/unixfs'
import { allCodecs } from '@ipfsz/codecs/all'
import { decode } from '@ipld/dag-pb'
import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { same } from '../../../test/support/data.ts'
import { chunked, collect, CountingBlockstore, getBlock, noise, text } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

const KIB = 1024
const MIB = 1024 * KIB

/** Text that never repeats, so that its frames differ. */
const FIRST = text(3 * MIB)

/** The next version of it. */
const SECOND = new Uint8Array(Buffer.concat([
  FIRST.subarray(0, 500_000),
  text(3001, 2),
  FIRST.subarray(500_000, 1_500_000),
  FIRST.subarray(1_500_100)
]))

const CUT = { cut: 'content', codec: 'zstd' } as const

async function links (cid: CID, blockstore: CountingBlockstore): Promise<string[]> {
  return decode(await getBlock(unmark(cid), blockstore)).Links.map(({ Hash }) => Hash.toString())
}

describe('cut by content', () => {
  it.each(allCodecs().map(({ name }) => name))('reads back what %s compressed, whole and in ranges', async codec => {
    const bytes = FIRST.subarray(0, 700 * KIB)
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { codecs: allCodecs() })
    const cid = await fs.addBytes(bytes, { compression: { ...CUT, codec, level: codec === 'brotli' ? 1 : undefined } })

    expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: BigInt(bytes.byteLength) })

    for (const [offset, length] of [[0, 1], [65_535, 2], [100_000, 400_000], [bytes.byteLength - 1, 1]]) {
      expect(same(await collect(fs.cat(cid, { offset, length })), bytes.subarray(offset, offset + length))).toBe(true)
    }
  })

  it('stores most of two versions once, with a leaf for each frame', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cids = [await fs.addBytes(FIRST, { compression: CUT }), await fs.addBytes(SECOND, { compression: CUT })]
    const [first, second] = await Promise.all(cids.map(async cid => links(cid, blockstore)))
    const { frames, frameSize } = await fs.stat(cids[0])

    expect(second.filter(leaf => !first.includes(leaf)).length).toBeLessThan(8)
    expect(second.length).toBeGreaterThan(15)
    // the last leaf is the seek table
    expect(first.length).toBe(frames + 1)
    expect(frameSize).toBe(256 * KIB)
  })

  it('is the same however the bytes come, and one of several files', { tags: 'slow' }, async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await fs.addBytes(FIRST, { compression: CUT })

    for (const length of [1000, 300_000]) {
      const added = await fs.addByteStream(chunked(FIRST, length), { compression: CUT })
      expect(added.toString()).toBe(cid.toString())
    }

    const files = Array.from({ length: 5 }, (_, i) => ({ path: `dir/${i}`, content: i === 3 ? FIRST : SECOND }))
    const all: string[] = []

    for await (const { path, cid } of fs.addAll(files, { compression: CUT })) {
      all.push(`${path} ${cid}`)
    }

    expect(all).toContain(`dir/3 ${cid}`)
  })

  it('is version 1 where nothing else is needed, and keeps small files in their root', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })

    // one frame
    for (const bytes of [text(1000), text(60 * KIB)]) {
      const cid = await fs.addBytes(bytes, { compression: CUT })
      const same = await fs.addBytes(bytes, { compression: { codec: 'zstd', frameSize: 256 * KIB } })

      expect(cid.toString()).toBe(same.toString())
    }

    // many frames, all as long as they may be, in few bytes
    const zeros = new Uint8Array(3 * MIB)
    const cid = await fs.addBytes(zeros, { compression: CUT })

    expect(await links(cid, blockstore)).toEqual([])
    expect(cid.toString())
      .toBe((await fs.addBytes(zeros, { compression: { codec: 'zstd', frameSize: 256 * KIB } })).toString())
    expect(same(await collect(fs.cat(cid)), zeros)).toBe(true)
  })

  it('stores what does not shrink as usual', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await fs.addBytes(noise(MIB), { compression: CUT })

    expect(cid.toString()).toBe((await fs.addBytes(noise(MIB), { compression: { codec: 'none' } })).toString())
  })

  it('is an ordinary UnixFS file of frames for everyone else', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addBytes(text(600 * KIB), { compression: CUT })
    const stored = await collect(unixfs({ blockstore } as never).cat(unmark(cid)))

    // a frame of zstd
    expect([...stored.subarray(0, 4)]).toEqual([0x28, 0xb5, 0x2f, 0xfd])
  })

  it('refuses unknown values, and what decides about frames otherwise', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const base = await fs.addBytes(FIRST)

    for (const compression of [
      { cut: 'rabin' as 'content' },
      { cut: 'content' as const, frameSize: 65_536 },
      { cut: 'content' as const, base }
    ]) {
      await expect(fs.addBytes(FIRST, { compression })).rejects.toMatchObject({ name: 'InvalidParametersError' })
    }
  })
})
