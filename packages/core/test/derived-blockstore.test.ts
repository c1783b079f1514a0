import { codecs } from '@ipfsz/codecs/all'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { encodeNode } from '../src/dag/node.ts'
import { mark, MARKERS, NotFoundError, unmark } from '../src/index.ts'
import { OriginalIndex } from '../src/originals/original-index.ts'
import { fileId } from '../src/originals/records.ts'
import { leavesOf, noise, text } from './fixtures.ts'
import { blockOf, imported, linked, makeShelf } from './original-fixtures.ts'
import type { DerivedBlockstoreInit } from '../src/originals/index.ts'
import type { Shelf } from './original-fixtures.ts'
import type { Codec } from '@ipfsz/codecs'

const MIB = 1024 * 1024
const KIB = 1024

/** A leaf that no file holds. */
const LEAF = text(1000, 99)
const LEAF_CID = CID.createV1(raw.code, await sha256.digest(LEAF))

/** An index that promises a leaf in a compressed file. */
async function promise (
  { datastore }: Shelf,
  compressed: CID,
  { offset = 0, length = LEAF.byteLength }: { offset?: number, length?: number } = {}
): Promise<void> {
  const index = new OriginalIndex(datastore)
  const id = fileId(compressed, 'unixfs-v1-2025')
  await index.write(id, [[LEAF_CID.multihash, { kind: 'raw', offset, length }]])
  await index.complete({ original: LEAF_CID, compressed, type: 'file', layout: 'unixfs-v1-2025', dagSize: length })
}

/** Expect that the leaf is not found, and why. */
async function expectNotFound ({ derived, errors }: Shelf, name: string): Promise<void> {
  // has does not decode
  expect(await derived.has(LEAF_CID)).toBe(true)
  const err = await blockOf(LEAF_CID, derived).catch((err: unknown) => err) as Error
  expect(err).toBeInstanceOf(NotFoundError)
  expect(err).toMatchObject({ name: 'NotFoundError', cid: LEAF_CID, cause: { name } })
  expect(errors).toMatchObject([{ name }])
}

/** A codec that counts the frames that it decompresses. */
function counting (): { codec: Codec, sizes: number[] } {
  const codec = codecs.zstd()
  const sizes: number[] = []

  return {
    sizes,
    codec: {
      ...codec,
      decompress: async (bytes, options) => {
        sizes.push(options.size)

        return codec.decompress(bytes, options)
      }
    }
  }
}

/** A clock that stands still until it is advanced. */
class FakeClock {
  #now = 0
  #paused = Promise.withResolvers<void>()
  #waiting: { until: number, resolve: () => void } | undefined

  now (): number {
    return this.#now
  }

  async wait (time: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting = { until: this.#now + time, resolve }
    this.#paused.resolve()

    return promise
  }

  /** Resolves when nothing goes on before the clock is advanced. */
  async paused (): Promise<number | undefined> {
    await this.#paused.promise

    return (this.#waiting?.until ?? 0) - this.#now
  }

  advance (time: number): void {
    this.#paused = Promise.withResolvers()
    this.#now += time
    this.#waiting?.resolve()
  }
}

/** A file of frames of 1 MiB, whose original has leaves of 256 KiB, without those that are nodes. */
async function manyLeaves (size: number, init: Partial<DerivedBlockstoreInit>): Promise<Shelf & {
  cid: CID
  leaves: CID[]
}> {
  const shelf = makeShelf({ layouts: ['kubo-cid-v1'] }, init)
  const bytes = text(size)
  const cid = await shelf.fs.addBytes(bytes, linked(MIB))
  await shelf.originals.add(cid)
  const { root } = await imported(bytes, 'kubo-cid-v1')

  return { ...shelf, cid, leaves: await leavesOf(root, shelf.derived as never) }
}

describe('a DerivedBlockstore whose index is wrong', () => {
  it('finds no block in a file with other bytes', async () => {
    const shelf = makeShelf()
    await promise(shelf, await shelf.fs.addBytes(text(100_000), linked()))

    await expectNotFound(shelf, 'OriginalMismatchError')
  })

  it.each([
    ['past the end of a file', { offset: 99_500 }],
    ['that is larger than any block', { length: 90_000_000 }],
    ['at an offset that no file has', { offset: 2 ** 52 }]
  ])('finds no block %s', async (_, range) => {
    const shelf = makeShelf()
    await promise(shelf, await shelf.fs.addBytes(text(100_000), linked()), range)

    await expectNotFound(shelf, 'OriginalMismatchError')
  })

  it('finds no block in a file that is gone', async () => {
    const shelf = makeShelf()
    const cid = await shelf.fs.addBytes(text(100_000), linked())
    await promise(shelf, cid)
    await shelf.blockstore.delete(unmark(cid))

    await expectNotFound(shelf, 'NotFoundError')
  })

  it('finds no block in a file with a damaged leaf', async () => {
    const shelf = makeShelf()
    const cid = await shelf.fs.addBytes(text(1_000_000), linked())
    await promise(shelf, cid)
    const [leaf] = await leavesOf(cid, shelf.blockstore)
    await shelf.blockstore.put(leaf, new Uint8Array(100))

    await expectNotFound(shelf, 'CorruptBlockError')
  })

  it('finds no block in what is not a compressed file', async () => {
    const shelf = makeShelf()
    const { block } = encodeNode({ inline: LEAF })
    const cid = CID.createV1(0x70, await sha256.digest(block))
    await shelf.blockstore.put(cid, block)
    await promise(shelf, mark(cid, 'zstd'))

    await expectNotFound(shelf, 'OriginalMismatchError')
  })

  it.each([
    ['a frame of another size', { size: LEAF.byteLength + 1 }, 'CorruptFrameError'],
    ['a frame length beyond the file', { frameLengths: [4000] }, 'InvalidHeaderError'],
    ['a size of another number of frames', { size: 70_000 }, 'InvalidHeaderError']
  ])('finds no block in a file whose header claims %s', async (_, lie, name) => {
    const shelf = makeShelf()
    const frame = await codecs.zstd().compress(LEAF.slice())
    const { block } = encodeNode({
      inline: frame,
      header: {
        codec: MARKERS.zstd,
        size: LEAF.byteLength,
        frameSize: 64 * KIB,
        frameLengths: [frame.byteLength],
        ...lie
      }
    })
    const cid = CID.createV1(0x70, await sha256.digest(block))
    await shelf.blockstore.put(cid, block)
    await promise(shelf, mark(cid, 'zstd'))

    await expectNotFound(shelf, name)
  })

  it('finds no node with other bytes', async () => {
    const shelf = makeShelf()
    const compressed = await shelf.fs.addBytes(text(100_000), linked())
    const index = new OriginalIndex(shelf.datastore)
    const id = fileId(compressed, 'unixfs-v1-2025')
    await promise(shelf, compressed)
    await index.write(id, [[LEAF_CID.multihash, { kind: 'node', bytes: Uint8Array.of(1) }]])

    await expectNotFound(shelf, 'OriginalMismatchError')
  })

  it('finds no block whose entry cannot be read', async () => {
    const shelf = makeShelf()
    await promise(shelf, await shelf.fs.addBytes(text(100_000), linked()))
    const [{ key }] = await Array.fromAsync(shelf.datastore.query({ prefix: '/ipfsz/originals/block/' }))
    await shelf.datastore.put(key, Uint8Array.of(7, 7))

    await expect(blockOf(LEAF_CID, shelf.derived)).rejects
      .toMatchObject({ name: 'NotFoundError', cause: { name: 'InvalidOriginalError' } })

    // another file has it, too
    await promise(shelf, await shelf.fs.addBytes(new Uint8Array([...LEAF, ...LEAF]), linked()))
    expect(Buffer.compare(await blockOf(LEAF_CID, shelf.derived), LEAF)).toBe(0)
  })

  it('finds the block in another file that has it', async () => {
    const shelf = makeShelf()
    const bytes = new Uint8Array([...LEAF, ...LEAF])
    const [wrong, right] = await Promise.all([text(5000), bytes].map(async bytes => shelf.fs.addBytes(bytes, linked())))
    await promise(shelf, wrong)
    await promise(shelf, right, { offset: LEAF.byteLength })

    expect(Buffer.compare(await blockOf(LEAF_CID, shelf.derived), LEAF)).toBe(0)
  })
})

describe('a DerivedBlockstore that strangers ask', () => {
  it('decompresses a frame once for all who ask for its leaves, and keeps it', async () => {
    const { codec, sizes } = counting()
    const { derived, leaves } = await manyLeaves(2 * MIB, { codecs: [codec] })

    await Promise.all(leaves.map(async cid => blockOf(cid, derived)))
    await Promise.all(leaves.map(async cid => blockOf(cid, derived)))

    expect(sizes).toEqual([MIB, MIB])
  })

  it('keeps no more bytes of frames than it may', async () => {
    const { codec, sizes } = counting()
    const { derived, leaves } = await manyLeaves(3 * MIB, { codecs: [codec], cacheSize: 2 * MIB })

    for (const leaf of [0, 4, 0, 8, 0, 4]) {
      await blockOf(leaves[leaf], derived)
    }

    // the second frame made room for the third, as the first was used after it
    expect(sizes).toHaveLength(4)
  })

  it('decompresses so many bytes in a second, whatever is asked for', { tags: 'slow' }, async () => {
    const { codec, sizes } = counting()
    const clock = new FakeClock()
    const { derived, leaves } = await manyLeaves(4 * MIB, {
      codecs: [codec],
      cacheSize: 1,
      bytesPerSecond: 2 * MIB,
      clock
    })
    // one leaf of each frame in turn: the most that a stranger can cause
    const ask = async (): Promise<void> => {
      for (let i = 0; i < 16; i++) {
        await blockOf(leaves[i % 4 * 4 + Math.floor(i / 4)], derived)
      }
    }
    const asking = ask().then(() => undefined)

    for (let time = await clock.paused(); time != null; time = await Promise.race([clock.paused(), asking])) {
      // two seconds' worth was saved up, and a frame may begin as long as anything is left
      expect(sizes.length).toBeLessThanOrEqual(3 + 2 * clock.now() / 1000)
      clock.advance(time)
    }

    expect(sizes).toHaveLength(16)
    expect(clock.now()).toBeGreaterThan(6000)
  })

  it('counts what is decompressed of a base, too', async () => {
    const clock = new FakeClock()
    const { fs, originals, derived } = makeShelf({}, { bytesPerSecond: MIB, clock })
    const first = noise(2 * MIB)
    const base = await fs.addBytes(first)
    const compression = { codec: 'zstd', frameSize: MIB, base } as const
    const cid = await fs.addBytes(first.subarray(10), { link: true, compression })
    await originals.add(cid)
    const { blocks } = await imported(first.subarray(10), 'unixfs-v1-2025')
    const asking = Promise.all(blocks.map(async ({ cid }) => blockOf(cid, derived))).then(() => undefined)

    for (let time = await clock.paused(); time != null; time = await Promise.race([clock.paused(), asking])) {
      clock.advance(time)
    }

    // a frame of 1 MiB and a region of up to 4 came before the second one
    expect((await fs.stat(cid)).base).toBeDefined()
    expect(clock.now()).toBeGreaterThan(3900)
  })

  it('counts the frames of a base whole, however small the region is that is needed', async () => {
    const clock = new FakeClock()
    const { fs, originals, derived } = makeShelf({}, { bytesPerSecond: MIB, clock })
    const first = text(2 * MIB)
    const base = await fs.addBytes(first, { compression: { frameSize: 2 * MIB } })
    const second = first.subarray(MIB, MIB + 128 * 1024)
    const cid = await fs.addBytes(second, { link: true, compression: { codec: 'zstd', frameSize: 64 * 1024, base } })
    await originals.add(cid)
    const { root } = await imported(second, 'unixfs-v1-2025')
    const asking = blockOf(root, derived).then(() => undefined)

    for (let time = await clock.paused(); time != null; time = await Promise.race([clock.paused(), asking])) {
      clock.advance(time)
    }

    // of the two frames that the block is in, the first counts as much as two of the base
    expect((await fs.stat(cid)).base).toBeDefined()
    expect(clock.now()).toBeGreaterThan(3000)
  })

  it('turns away who asks when too many wait, and finds the block later', async () => {
    const clock = new FakeClock()
    const init = { cacheSize: 1, maxWaiting: 1, bytesPerSecond: 1, clock }
    const { derived, leaves, errors } = await manyLeaves(3 * MIB, init)
    await blockOf(leaves[0], derived)
    const second = blockOf(leaves[4], derived)
    await clock.paused()

    await expect(blockOf(leaves[8], derived)).rejects
      .toMatchObject({ name: 'NotFoundError', cause: { name: 'DecodeQueueFullError', waiting: 1 } })
    expect(errors).toMatchObject([{ name: 'DecodeQueueFullError' }])
    clock.advance(1000 * MIB)
    await second
    clock.advance(1000 * MIB)
    expect(await blockOf(leaves[8], derived)).toHaveLength(256 * KIB)
  })

  it('does not decompress what nobody waits for any more', async () => {
    const { codec, sizes } = counting()
    const clock = new FakeClock()
    const { derived, leaves } = await manyLeaves(3 * MIB, { codecs: [codec], cacheSize: 1, bytesPerSecond: 1, clock })
    await blockOf(leaves[0], derived)
    const ended = new AbortController()
    const asked = derived.get(leaves[4], { signal: ended.signal }).next()
    await clock.paused()
    ended.abort(new Error('gone'))

    await expect(asked).rejects.toThrow('gone')
    const other = blockOf(leaves[8], derived)
    clock.advance(1000 * MIB)
    await other
    expect(sizes).toHaveLength(2)
  })
})
