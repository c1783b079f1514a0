/** @module-tag long */
import { zstd } from '@ipfsz/codecs/zstd'
import { MemoryBlockstore } from 'blockstore-core'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it } from 'vitest'
import { longText } from '../../../test/support/data.ts'
import { ipfsz, unmark } from '../src/index.ts'
import { chunked, collect, noise, same, text } from './fixtures.ts'
import type { AddEvents, CompressionOptions } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

const KIB = 1024
const MIB = 1024 * KIB

/** Half of it shrinks. */
const BASE = Buffer.concat([text(1.5 * MIB, 99), noise(1.5 * MIB, 99)])

/** What was inserted: a file of several frames alone. */
const INSERTED = longText(20 * MIB)

/** The same 64 bytes many times, which take next to nothing without a base too. */
const PATTERN = Buffer.alloc(4 * MIB, noise(64, 97))

/** Low levels find little in a large dictionary where libzstd's tables cannot be set, as in a page (docs/codecs.md). */
const WITH_LARGE_TABLES: Array<[CompressionOptions, number, string[]]> = zstd().implementation === 'native'
  ? [[{ frameSize: 3 * MIB }, 10, ['nightly']]]
  : []

type Fs = ReturnType<typeof ipfsz>

/** A store that knows how many bytes it has. */
class SizedBlockstore extends MemoryBlockstore {
  size = 0

  override put (...[cid, bytes]: Parameters<MemoryBlockstore['put']>): ReturnType<MemoryBlockstore['put']> {
    this.size += bytes instanceof Uint8Array && !super.has(cid) ? bytes.byteLength : 0

    return super.put(cid, bytes)
  }
}

async function sizeAlone (bytes: Uint8Array, compression: CompressionOptions): Promise<number> {
  const blockstore = new SizedBlockstore()
  await ipfsz({ blockstore }).addBytes(bytes, { compression })

  return blockstore.size
}

async function baseOf (fs: Fs, cid: CID): Promise<string | undefined> {
  return (await fs.stat(cid)).base?.toString()
}

describe.each<[options: CompressionOptions, mebibytes: number, tags: string[]]>([
  [{}, 6, []],
  [{}, 20, ['nightly']],
  [{ frameSize: 64 * KIB }, 6, ['slow']],
  [{ frameSize: 64 * KIB }, 20, ['nightly']],
  [{ frameSize: 3 * MIB, level: 9 }, 10, ['slow']],
  ...WITH_LARGE_TABLES,
  [{ codec: 'auto' }, 6, ['slow']],
  [{ codec: 'zstd', level: 3 }, 6, ['slow']]
])('a file with a base that its beginning does not resemble, with %o', (options, mebibytes, tags) => {
  it(`takes little more than what was inserted before all of it: ${mebibytes} MiB`, { tags }, async () => {
    const blockstore = new SizedBlockstore()
    const fs = ipfsz({ blockstore })
    // it ends, and so the base begins, within a frame
    const inserted = INSERTED.subarray(0, mebibytes * MIB - 12_345)
    const bytes = Buffer.concat([inserted, BASE])
    const base = await fs.addBytes(BASE)
    const before = blockstore.size
    const compression = { base, ...options }
    const cid = await fs.addBytes(bytes, { compression })

    expect(blockstore.size - before).toBeLessThan(1.01 * await sizeAlone(inserted, options))
    await expect(baseOf(fs, cid)).resolves.toBe(unmark(base).toString())
    expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
    await expect(fs.verify(cid)).resolves.toMatchObject({ size: BigInt(bytes.byteLength), files: 1 })

    for (const [offset, length] of [
      [0, 100],
      [4 * MIB - 10, 20],
      [inserted.byteLength - 300_000, 600_000],
      [bytes.byteLength - 1, 1]
    ]) {
      const part = bytes.subarray(offset, offset + length)
      expect(same(await collect(fs.cat(cid, { offset, length })), part)).toBe(true)
    }

    await expect(fs.addByteStream(chunked(bytes, 100_001), { compression })).resolves.toEqual(cid)
  })
})

describe('a file with a base that its beginning does not resemble', () => {
  it('takes little more than what was inserted although that does not shrink, with `detect: false`', {
    tags: 'slow'
  }, async () => {
    const blockstore = new SizedBlockstore()
    const fs = ipfsz({ blockstore })
    const inserted = noise(6 * MIB)
    const base = await fs.addBytes(BASE)
    const before = blockstore.size
    const cid = await fs.addBytes(Buffer.concat([inserted, BASE]), { compression: { base, detect: false } })

    expect(blockstore.size - before).toBeLessThan(1.01 * inserted.byteLength)
    await expect(baseOf(fs, cid)).resolves.toBe(unmark(base).toString())
  })

  it('is read by every implementation', { tags: 'slow' }, async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const bytes = Buffer.concat([INSERTED.subarray(0, 5 * MIB), BASE])
    const cid = await fs.addBytes(bytes, { compression: { base: await fs.addBytes(BASE) } })

    for (const implementation of ['wasm', 'js'] as const) {
      const reader = ipfsz({ blockstore }, { codecs: [zstd({ implementation })] })
      expect(same(await collect(reader.cat(cid)), bytes)).toBe(true)
    }
  })

  it('is written by workers', async () => {
    const bytes = Buffer.concat([INSERTED.subarray(0, 9 * MIB), BASE])
    const codecs = [zstd({ implementation: 'wasm' })]
    const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { codecs })
    const base = await fs.addBytes(BASE)
    const cid = await fs.addByteStream(chunked(bytes, 100_000), { compression: { base } })

    await expect(baseOf(fs, cid)).resolves.toBe(unmark(base).toString())
    expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
  })

  it('has the CID of its content, and says what it refers back to when it is found', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore(), datastore: new MemoryDatastore() })
    const bytes = Buffer.concat([INSERTED.subarray(0, 5 * MIB), BASE])
    const base = await fs.addBytes(BASE)
    const decided: unknown[] = []
    const cid = await fs.addBytes(bytes, {
      compression: { base },
      link: true,
      onProgress (event: AddEvents) {
        if (event.type === 'ipfsz:add:decided') {
          decided.push(event.detail)
        }
      }
    })
    const { contentCid } = await fs.verify(cid)

    expect(contentCid).toEqual(await fs.addBytes(bytes, { compression: { codec: 'none' } }))
    expect(decided).toEqual([
      { codec: 'zstd', reason: 'trial' },
      { codec: 'zstd', reason: 'trial', base: { cid: unmark(base), size: expect.any(Number) } }
    ])
  })

  it('keeps no room of the budget that the files of an import share', { tags: 'slow' }, async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { inFlightBytes: 4 * MIB })
    const base = await fs.addBytes(BASE)
    const bytes = Buffer.concat([INSERTED.subarray(0, 9 * MIB), BASE])
    const files = Array.from({ length: 3 }, (_, i) => ({ path: `a/${i}`, content: chunked(bytes, 100_000) }))
    const added = await Array.fromAsync(fs.addAll(files, { compression: { base: () => base } }))

    expect(added).toHaveLength(4)
    await expect(baseOf(fs, added[0].cid)).resolves.toBe(unmark(base).toString())
    expect(same(await collect(fs.cat(added[2].cid)), bytes)).toBe(true)
  })

  it.each([
    // all of which is a region of any piece
    ['a small base', BASE.subarray(1.2 * MIB, 1.6 * MIB), Buffer.alloc(0)],
    ['a base of which a little is in an earlier piece', BASE, BASE.subarray(2 * MIB, 2 * MIB + 600)]
  ])('has its base although more than one frame of that was inserted: %s', {
    tags: 'slow'
  }, async (_, first, little) => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const base = await fs.addBytes(first)
    const bytes = Buffer.concat([INSERTED.subarray(0, 600 * KIB), little, INSERTED.subarray(0, 2 * MIB), first])
    const cid = await fs.addBytes(bytes, { compression: { base } })

    await expect(baseOf(fs, cid)).resolves.toBe(unmark(base).toString())
    expect(same(await collect(fs.cat(cid)), bytes)).toBe(true)
  })

  it('is looked at again further on if the base does not help with a piece that it resembles', {
    tags: 'slow'
  }, async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const base = await fs.addBytes(Buffer.concat([PATTERN.subarray(0, MIB), BASE]))
    const resembling = Buffer.concat([INSERTED.subarray(0, 4 * MIB), PATTERN])
    const add = async (bytes: Uint8Array): Promise<CID> => fs.addBytes(bytes, { compression: { base } })

    await expect(add(resembling)).resolves.toEqual(await fs.addBytes(resembling))
    // twice as far into the file
    const cid = await add(Buffer.concat([resembling, INSERTED.subarray(0, 8 * MIB), BASE]))
    await expect(baseOf(fs, cid)).resolves.toBe(unmark(base).toString())
  })
})

describe('a file that never resembles its base', () => {
  it.each<[string, bytes: Uint8Array, CompressionOptions]>([
    ['text', INSERTED.subarray(0, 9 * MIB), {}],
    ['small frames', INSERTED.subarray(0, 6 * MIB), { frameSize: 64 * KIB }],
    ['little of the base in each piece', Buffer.concat(Array.from({ length: 5 }, (_, i) =>
      [INSERTED.subarray(i * 2 * MIB, (i + 1) * 2 * MIB), BASE.subarray(2 * MIB, 2 * MIB + 2000)]).flat()), {}],
    ['what does not shrink', noise(9 * MIB, 3), {}]
  ])('has the CID that it has without one: %s', { tags: 'slow' }, async (_, bytes, options) => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const base = await fs.addBytes(BASE)
    const alone = await fs.addBytes(bytes, { compression: options })

    await expect(fs.addBytes(bytes, { compression: { base, ...options } })).resolves.toEqual(alone)
    await expect(fs.addByteStream(chunked(bytes, 100_000), { compression: { base, ...options } }))
      .resolves.toEqual(alone)
  })

  it('stays without it if its beginning has filters, which are those of all frames', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const base = await fs.addBytes(BASE)
    const numbers = Buffer.from(Uint32Array.from({ length: 1.25 * MIB }, (_, i) => i * 70_001).buffer)
    const bytes = Buffer.concat([numbers, BASE])
    const alone = await fs.addBytes(bytes)

    await expect(fs.addBytes(bytes, { compression: { base } })).resolves.toEqual(alone)
  })
})
