import { unixfs } from '@helia/unixfs'
import { codecs } from '@ipfsz/codecs/all'
import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, unmark } from '../src/index.ts'
import { same } from '../../../test/support/data.ts'
import { collect, CountingBlockstore, noise, text } from './fixtures.ts'
import type { Ipfsz, ReadCost } from '../src/index.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

const KIB = 1024
const BYTES = text(600 * KIB)
const EDITED = BYTES.map((byte, i) => i % 5000 === 0 ? byte ^ 1 : byte)

/** Counts the frames that are decompressed, and their bytes. */
function counting (): { fs: Ipfsz, blockstore: CountingBlockstore, sizes: number[] } {
  const blockstore = new CountingBlockstore()
  const sizes: number[] = []
  const counted = Object.values(codecs).map((create): Codec => {
    const codec = create()

    return {
      ...codec,
      decompress: async (frame, options) => {
        sizes.push(options.size)

        return codec.decompress(frame, options)
      }
    }
  })

  return { fs: ipfsz({ blockstore }, { codecs: counted }), blockstore, sizes }
}

async function costOf (fs: Ipfsz, cid: CID): Promise<ReadCost> {
  return (await fs.open(cid)).readCost()
}

type Add = (fs: Ipfsz, blockstore: CountingBlockstore) => Promise<CID>

const add = (bytes: Uint8Array, frameSize: number, base?: CID): Add => async fs =>
  fs.addBytes(bytes, { compression: { detect: false, frameSize, ...base == null ? {} : { base } } })

const based: Add = async (fs, blockstore) => {
  const base = await add(BYTES, 256 * KIB)(fs, blockstore)

  return add(EDITED, 64 * KIB, base)(fs, blockstore)
}

/** Kinds of files, and the most frames, of the file or its base, that reading the first bytes takes. */
const KINDS: Array<[string, Uint8Array, number, Add]> = [
  ['frames of one size', BYTES, 1, add(BYTES, 64 * KIB)],
  ['a single frame', BYTES, 1, add(BYTES, 1024 * KIB)],
  ['frames that are cut by content', BYTES, 1, async fs => {
    return fs.addBytes(BYTES, { compression: { detect: false, cut: 'content' } })
  }],
  ['a base', EDITED, 3, based],
  ['plain leaves', BYTES, 0, async (_, blockstore) => unixfs({ blockstore }).addBytes(BYTES)],
  ['one raw block', noise(1000), 0, async (_, blockstore) => unixfs({ blockstore }).addBytes(noise(1000))]
]

describe.each(KINDS)('a file of %s', (_, bytes, frames, make) => {
  it('is read at any offset, and holds no more than it says if nothing is read ahead', async () => {
    const { fs, blockstore, sizes } = counting()
    const cid = await make(fs, blockstore)
    const cost = await costOf(fs, cid)
    expect(cost.isSeekable).toBe(true)
    expect(cost.memory).toBeLessThanOrEqual(cost.memoryAhead)

    for (const offset of [0, 1, Math.floor(bytes.byteLength * 0.7)]) {
      sizes.length = 0
      const reader = fs.cat(cid, { offset, readAhead: false })[Symbol.asyncIterator]()
      const { value } = await reader.next()
      // whatever would be read ahead has begun by now
      await new Promise(resolve => { setTimeout(resolve) })
      expect(sizes.length).toBeLessThanOrEqual(frames)
      expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(cost.memory)
      const rest = await collect({ [Symbol.asyncIterator]: () => reader })
      expect(same(Buffer.concat([value ?? new Uint8Array(0), rest]), bytes.subarray(offset))).toBe(true)
    }
  })
})

describe('the cost of reading', () => {
  it('grows with the frames of a file, and with those of its base', async () => {
    const { fs, blockstore } = counting()
    const sizes = [64 * KIB, 256 * KIB]
    const costs = await Promise.all(sizes.map(async size => costOf(fs, await add(BYTES, size)(fs, blockstore))))
    expect(costs[1].memory - costs[0].memory).toBeGreaterThan(180 * KIB)

    // two pieces of the base, and a frame
    expect((await costOf(fs, await based(fs, blockstore))).memory).toBeGreaterThan((2 * 256 + 64) * KIB)
  })

  it('is that of a window for a stream of another tool, which cannot be read from the middle', async () => {
    const { fs, blockstore } = counting()
    const plain = await unixfs({ blockstore }).addBytes(await zstd().compress(BYTES), { rawLeaves: false })
    const [stream, asIs] = [await costOf(fs, mark(plain, 'zstd')), await costOf(fs, plain)]

    expect(stream).toMatchObject({ isSeekable: false, hasRanges: true })
    expect(stream.memory - asIs.memory).toBeGreaterThan(8 * 1024 * KIB)
    expect(asIs).toMatchObject({ isSeekable: true, hasRanges: true })
  })

  it('says that a base is missing', async () => {
    const { fs, blockstore } = counting()
    const base = unmark(await add(BYTES, 256 * KIB)(fs, blockstore))
    const cid = await add(EDITED, 64 * KIB, base)(fs, blockstore)
    await blockstore.delete(base)

    await expect(costOf(ipfsz({ blockstore }), cid)).rejects.toMatchObject({ name: 'UnreadableBaseError' })
  })
})

describe('files with the same base', () => {
  it('share what is read of it at the same time, also if the first of them is given up', async () => {
    const { fs, blockstore, sizes } = counting()
    const base = await add(BYTES, 600 * KIB)(fs, blockstore)
    const cid = await add(EDITED, 64 * KIB, base)(fs, blockstore)
    const given = new AbortController()
    // another one, which has nothing in its caches
    const other = ipfsz({ blockstore }, { codecs: fs.codecs })
    sizes.length = 0

    const first = collect(other.cat(cid, { signal: given.signal }))
    const rest = Promise.all(Array.from({ length: 5 }, async () => collect(other.cat(cid))))
    given.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })

    for (const bytes of await rest) {
      expect(same(bytes, EDITED)).toBe(true)
    }

    expect(sizes.filter(size => size === 600 * KIB).length).toBeLessThanOrEqual(2)
  })
})
