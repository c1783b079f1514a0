import { unixfs } from '@helia/unixfs'
import { allCodecs } from '@ipfsz/codecs/all'
import { seal, unseal } from '@ipfsz/codecs/sealed'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it } from 'vitest'
import { applyFilters } from '../src/filters/filters.ts'
import { ipfsz, mark, unmark } from '../src/index.ts'
import { same } from '../../../test/support/data.ts'
import { collect, CountingBlockstore, noise, text } from './fixtures.ts'
import { putManyFrames } from './group-fixtures.ts'
import type { Filter } from '../src/filters/filter.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

const KIB = 1024

/** Sound: 16 bits, one channel, with a header as long as that of a WAV file. */
const SOUND = sound(300_001)

function sound (length: number): Uint8Array {
  const random = noise(10_000)
  const samples = Int16Array.from({ length: Math.ceil(length / 2) }, (_, i) => (
    12_000 * Math.sin(i / 40) + 4000 * Math.sin(i / 7.3) + random[i * 7 % 10_000]
  ))
  const bytes = new Uint8Array(samples.buffer).slice(0, length)
  bytes.set(new TextEncoder().encode('RIFF    WAVEfmt '))

  return bytes
}

/** Sound without noise, from which every codec gains. */
const CLEAR = new Uint8Array(Int16Array.from({ length: 120_000 }, (_, i) => Math.abs(i * 37 % 20_000 - 10_000)).buffer)

/** Files that hold an array of numbers after the beginning that their type has. */
const ARRAYS: Record<string, Uint8Array> = {
  'a WAV file': SOUND,
  'an AIFF file': withHead(
    // the numbers of an AIFF file have their highest byte first
    reversed(SOUND.subarray(44), 2),
    `${ascii('FORM')}00049408${ascii('AIFFCOMM')}000000120001000249ec0010400eac44000000000000${ascii('SSND')}` +
      '000493d60000000000000000'
  ),
  'an NPY file': withHead(
    new Uint8Array(Float32Array.from({ length: 60_000 }, (_, i) => 20 + Math.sin(i / 300) + i / 1e5).buffer),
    `934e554d505901007600${ascii("{'descr': '<f4', 'fortran_order': False, 'shape': (60000,), }".padEnd(117))}0a`
  ),
  'a TIFF file': withHead(
    // pixels of 16 bits: a slope with little noise
    new Uint8Array(Uint16Array.from({ length: 150_000 }, (_, i) => 20 * (i % 500) + 7 * (i / 500) + i * i % 13).buffer),
    // width, height, no compression
    '49492a000800000003000001030001000000f401000001010300010000002c01000003010300010000000100000000000000'
  ),
  'an array of 64 bits': new Uint8Array(
    BigInt64Array.from({ length: 30_000 }, (_, i) => 1_700_000_000_000n + BigInt(i) * 1000n + BigInt(i % 17)).buffer
  )
}

function ascii (letters: string): string {
  return Buffer.from(letters).toString('hex')
}

function withHead (bytes: Uint8Array, head: string): Uint8Array {
  return new Uint8Array(Buffer.concat([Buffer.from(head, 'hex'), bytes]))
}

/** The bytes of each number in the other order. */
function reversed (bytes: Uint8Array, width: number): Uint8Array {
  const { byteLength } = bytes

  return Uint8Array.from({ length: byteLength - byteLength % width }, (_, i) =>
    bytes[i - i % width + width - 1 - i % width])
}

/** Returns the same Buffer for a block each time: its `slice` does not copy. */
class BufferBlockstore extends CountingBlockstore {
  readonly #kept = new Map<string, Buffer>()

  override async * get (...args: Parameters<CountingBlockstore['get']>): ReturnType<CountingBlockstore['get']> {
    const key = args[0].toString()
    const pieces: Uint8Array[] = []

    for await (const piece of super.get(...args)) {
      pieces.push(piece)
    }

    const block = this.#kept.get(key) ?? Buffer.concat(pieces)
    this.#kept.set(key, block)
    yield block
  }
}

describe('a file with filters', () => {
  it.each(allCodecs().map(({ name }) => name))('of %s is read again from blocks that are kept', async codec => {
    const blockstore = new BufferBlockstore()
    const added = ipfsz({ blockstore }, { codecs: allCodecs() })
    const cid = await added.addBytes(SOUND, {
      compression: { codec, level: 1, frameSize: 64 * KIB, filters: true, detect: false }
    })
    // another one, as the writer keeps the root that it made
    const fs = ipfsz({ blockstore }, { codecs: allCodecs() })

    for (let i = 0; i < 3; i++) {
      expect(same(await collect(fs.cat(cid)), SOUND)).toBe(true)
    }
  })

  it.each(allCodecs().map(({ name }) => name))('reads back what %s compressed, whole and in ranges', async codec => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { codecs: allCodecs() })
    const level = codec === 'brotli' ? 1 : undefined
    const add = async (filters: boolean): ReturnType<typeof fs.addBytes> =>
      fs.addBytes(SOUND, { compression: { codec, level, frameSize: 64 * KIB, filters, detect: false } })
    const [cid, other] = [await add(true), await add(false)]
    const [stats, without] = [await fs.stat(cid), await fs.stat(other)]

    expect(without.filters).toBeUndefined()
    expect(Number(stats.storedSize)).toBeLessThanOrEqual(Number(without.storedSize))
    // a codec that finds only repeats gains nothing
    expect(stats.filters != null || ['lz4', 'snappy', 'lzo'].includes(codec)).toBe(true)
    expect(same(await collect(fs.cat(cid)), SOUND)).toBe(true)
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: BigInt(SOUND.byteLength) })

    for (const [offset, length] of [[0, 1], [65_535, 2], [100_000, 150_001], [SOUND.byteLength - 1, 1]]) {
      expect(same(await collect(fs.cat(cid, { offset, length })), SOUND.subarray(offset, offset + length))).toBe(true)
    }
  })

  it('takes at least a tenth less, by default and with auto', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })

    for (const codec of ['zstd', 'auto'] as const) {
      const cid = await fs.addBytes(SOUND, { compression: { codec } })
      const plain = await fs.addBytes(SOUND, { compression: { codec, filters: false } })
      const [stats, without] = [await fs.stat(cid), await fs.stat(plain)]

      expect(stats.filters?.length).toBeGreaterThan(0)
      expect(Number(stats.storedSize)).toBeLessThan(Number(without.storedSize) * 0.9)
      expect(same(await collect(fs.cat(cid)), SOUND)).toBe(true)
    }
  })

  it.each(Object.entries(ARRAYS))('is tried as %s, by default and with auto', async (_, bytes) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })

    for (const codec of ['zstd', 'auto'] as const) {
      const cid = await fs.addBytes(bytes, { compression: { codec } })

      expect((await fs.stat(cid)).filters?.length).toBeGreaterThan(0)
      expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
    }
  })

  it('is one of several, within a small memory bound', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { inFlightBytes: 128 * KIB })
    const files = Array.from({ length: 6 }, (_, i) => ({ path: `dir/${i}`, content: SOUND.subarray(0, 250_000 + i) }))
    let number = 0

    for await (const { cid, path } of fs.addAll(files, { compression: { frameSize: 64 * KIB } })) {
      if (path !== 'dir') {
        const { byteLength } = files[Number(path?.at(-1))].content
        expect((await fs.stat(cid)).filters).toBeDefined()
        expect((await collect(fs.cat(cid))).byteLength).toBe(byteLength)
        number++
      }
    }

    expect(number).toBe(6)
  })

  it('holds sealed frames for everyone else, and they stay so in the blocks that are read', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await fs.addBytes(SOUND)
    const filters = (await fs.stat(cid)).filters as Filter[]
    const [zstd] = allCodecs().filter(({ name }) => name === 'zstd')
    const stored = await collect(unixfs({ blockstore } as never).cat(unmark(cid)))

    await expect(zstd.decompress(stored, { size: SOUND.byteLength })).rejects.toThrow('a reserved bit is set')
    expect(same(await collect(fs.cat(cid)), SOUND)).toBe(true)
    expect(same(await collect(unixfs({ blockstore } as never).cat(unmark(cid))), stored)).toBe(true)
    const frame = unseal('zstd', stored)
    expect(same(await zstd.decompress(frame, { size: SOUND.byteLength }), applyFilters(SOUND, filters))).toBe(true)
  })

  it('is refused if its frames are not sealed', async () => {
    const [gzip] = allCodecs().filter(({ name }) => name === 'gzip')
    // what is sealed twice is not sealed
    const unsealing: Codec = {
      ...gzip,
      compress: async (bytes, options) => seal('gzip', await gzip.compress(bytes, options))
    }
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }, { codecs: [unsealing] }).addBytes(SOUND, { compression: { codec: 'gzip' } })
    const fs = ipfsz({ blockstore })

    expect((await fs.stat(cid)).filters).toBeDefined()
    await expect(collect(fs.cat(cid))).rejects.toMatchObject({ name: 'CorruptFrameError' })
    await expect(fs.verify(cid)).rejects.toThrow('it is not sealed')
  })

  it('is what its plain twin is marked as, and an error if that was added as a stream of others', {
    tags: 'slow'
  }, async () => {
    for (const codec of ['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo'] as const) {
      const fs = ipfsz({ blockstore: new CountingBlockstore() }, { codecs: allCodecs() })
      const compression = { codec, level: codec === 'brotli' ? 1 : undefined, frameSize: 64 * KIB, detect: false }
      // four frames, and so a seek table in some codecs
      const cid = await fs.addBytes(CLEAR, { compression })
      const stored = await collect(fs.cat(unmark(cid)))
      const added = await fs.addBytes(stored, { compression: { codec: 'none' }, reduceSingleLeafToSelf: false })
      const foreign = mark(added, codec)

      expect((await fs.stat(cid)).filters).toBeDefined()
      expect(same(await collect(fs.cat(mark(unmark(cid), codec))), CLEAR)).toBe(true)

      for (const options of [{}, { offset: 70_000, length: 10 }]) {
        await expect(collect(fs.cat(foreign, options)), codec).rejects.toMatchObject({ name: 'CorruptFrameError' })
      }

      await expect(fs.verify(foreign), codec).rejects.toMatchObject({ name: 'CorruptFrameError' })
    }
  })

  it('is read by the CID of its original, which verify compares', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
    const cid = await fs.addBytes(SOUND, { link: true })
    const { contentCid, filters } = await fs.stat(cid)

    expect(filters).toBeDefined()
    expect(same(await collect(fs.cat(contentCid as CID)), SOUND)).toBe(true)
    await expect(fs.verify(cid)).resolves.toMatchObject({ contentCid })
  })

  it('is a base, by its original content', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const base = await fs.addBytes(SOUND)
    const next = new Uint8Array(Buffer.concat([SOUND.subarray(0, 150_000), noise(1000), SOUND.subarray(150_000)]))
    const cid = await fs.addBytes(next, { compression: { base } })
    const stats = await fs.stat(cid)

    expect(stats.base?.toString()).toBe(unmark(base).toString())
    expect(stats.filters).toBeUndefined()
    expect(same(await collect(fs.cat(cid)), next)).toBe(true)
  })

  it.each(['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo', 'a base'] as const)(
    'reads back if its frames are listed in a table, with %s',
    async name => {
      const blockstore = new CountingBlockstore()
      const fs = ipfsz({ blockstore }, { codecs: allCodecs() })
      const bytes = noise(200_000)
      const base = {
        link: { cid: await fs.addBytes(bytes, { compression: { codec: 'none' } }), size: 200_000, dagSize: 200_000 },
        bytes,
        regions: [{ offset: 0, length: 100_000 }, { offset: 0, length: 0 }]
      }
      const pieces = [SOUND.subarray(0, 64 * KIB), SOUND.subarray(70_000, 70_000 + 64 * KIB)]
      const codec = name === 'a base' ? 'zstd' : name
      const filters = [{ kind: 'delta', width: 2 }] as const
      const based = name === 'a base' ? base : undefined
      const { cid } = await putManyFrames(pieces, frame => frame % 2, 5, blockstore, { codec, filters }, based)
      const original = Buffer.concat([...pieces, ...pieces, pieces[0]])

      expect(await fs.stat(cid)).toMatchObject({ frames: 5, filters })
      expect(same(await collect(fs.cat(cid)), original)).toBe(true)
      const part = await collect(fs.cat(cid, { offset: 65_000, length: 1000 }))
      expect(same(part, original.subarray(65_000, 66_000))).toBe(true)
      await expect(fs.verify(cid)).resolves.toMatchObject({ size: BigInt(original.byteLength) })
    }
  )

  it('is not text, nor cut by content', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cids = [await fs.addBytes(text(300 * KIB)), await fs.addBytes(SOUND, { compression: { cut: 'content' } })]

    for (const cid of cids) {
      expect((await fs.stat(cid)).filters).toBeUndefined()
    }
  })
})
