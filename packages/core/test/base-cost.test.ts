import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { same } from '../../../test/support/data.ts'
import { BaseCost, MAX_BASE_COST, MAX_BASE_COST_RATIO } from '../src/base/base-cost.ts'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, noise, random, text } from './fixtures.ts'
import { putManyFrames } from './group-fixtures.ts'
import type { Region } from '../src/format/header.ts'

const KIB = 1024
const MIB = 1024 * KIB
const BASE = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn').toV1()

interface Sizes {
  base: number
  piece: number
  frame: number
  region: number
}

interface BasedFrame {
  region: Region
  size: number
}

/** Frames with regions anywhere in a base. */
function framesOf ({ base, frame, region }: Sizes, count: number, seed: number): BasedFrame[] {
  const next = random(seed)

  return Array.from({ length: count }, () => {
    const length = 8 + (next() >>> 0) % (region - 7)

    return { region: { offset: Math.floor(next() / 2 ** 32 * (base - length)), length }, size: frame }
  })
}

/** The bytes of a base of which each of these pieces is decompressed again, unless it is one of the last two. */
function slowCost (frames: readonly BasedFrame[], { base, piece }: Sizes): number {
  let last: number[] = []
  let cost = 0

  for (const { region: { offset, length } } of frames) {
    for (let at = 0; at < base; at += piece) {
      if (at < offset + length && at + piece > offset) {
        cost += last.includes(at) ? 0 : Math.min(piece, base - at)
        last = [...last.filter(other => other !== at), at].slice(-2)
      }
    }
  }

  return cost
}

const SIZES = fc.record({
  base: fc.integer({ min: 16 * MIB, max: 600 * MIB }),
  piece: fc.constantFrom(64 * KIB, MIB, 4 * MIB, 12 * MIB, 16 * MIB),
  frame: fc.constantFrom(64 * KIB, 512 * KIB, 4 * MIB),
  region: fc.constantFrom(8, 256 * KIB, 4 * MIB, 16 * MIB)
})

describe('what the frames of a file may need of its base', () => {
  it('is what a writer allows, wherever a reader begins', () => {
    fc.assert(fc.property(SIZES, fc.integer(), fc.nat(59), (sizes, seed, start) => {
      const writer = new BaseCost(sizes.base, sizes.piece)
      const reader = new BaseCost(sizes.base, sizes.piece)
      const frames = framesOf(sizes, 60, seed).filter(({ region, size }) => writer.allows(region, size))

      for (const { region, size } of frames.slice(start)) {
        reader.count(region, size, BASE, BASE)
      }
    }))
  })

  it('is what a writer allows when it has saved all that it may, and a reader begins with nothing', () => {
    const [writer, reader] = [new BaseCost(400 * MIB, 16 * MIB), new BaseCost(400 * MIB, 16 * MIB)]
    const inPiece = (number: number): Region => ({ offset: number * 16 * MIB, length: 100 })
    // both pieces are remembered
    const before = Array.from({ length: 400 }, (_, i) => writer.allows(inPiece(i % 2), 64 * KIB))
    const then = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter(number => writer.allows(inPiece(number), 64 * KIB))

    expect(before).not.toContain(false)
    expect(then).toEqual([0, 1, 2, 3, 4])
    then.forEach(number => { reader.count(inPiece(number), 64 * KIB, BASE, BASE) })
  })

  it('is exceeded when the pieces of the base have more bytes than the limit', () => {
    fc.assert(fc.property(SIZES, fc.integer(), (sizes, seed) => {
      const reader = new BaseCost(sizes.base, sizes.piece)
      const frames = framesOf(sizes, 20, seed)

      for (const [i, { region, size }] of frames.entries()) {
        const limit = MAX_BASE_COST + (i + 1) * size * MAX_BASE_COST_RATIO
        const count = (): void => { reader.count(region, size, BASE, BASE) }

        if (slowCost(frames.slice(0, i + 1), sizes) > limit) {
          expect(count).toThrow(expect.objectContaining({ name: 'BaseTooCostlyError', limit }))
          return
        }

        count()
      }
    }))
  })

  it.each([
    ['frames of 512 KiB from all over a base in frames of 4 MiB', 4 * MIB, 512 * KIB, MIB],
    ['frames of 512 KiB from all over a plain base', MIB, 512 * KIB, MIB],
    ['frames of 64 KiB from all over a base in frames of 64 KiB', 64 * KIB, 64 * KIB, 192 * KIB],
    ['frames of 16 MiB from all over a base in such frames', 16 * MIB, 16 * MIB, 16 * MIB]
  ])('never leaves out a region of %s', (_, piece, frame, region) => {
    const base = 400 * MIB
    const writer = new BaseCost(base, piece)
    const frames = framesOf({ base, piece, frame, region }, 500, 1)
    const left = frames.filter(({ region, size }) => !writer.allows(region, size))

    expect(left).toEqual([])
  })
})

describe('a file whose frames are all over a base in large frames', () => {
  it('is written so that it can be read, whole and in every range', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const first = noise(24 * MIB)
    const base = await fs.addBytes(first, {
      compression: { codec: 'zstd', level: 1, frameSize: 8 * MIB, detect: false }
    })
    const frame = 64 * KIB
    const second = Buffer.concat(Array.from({ length: 60 }, (_, i) => {
      const start = i % 3 * 8 * MIB + i * frame

      return first.subarray(start, start + frame)
    }))
    const cid = await fs.addBytes(second, { compression: { codec: 'zstd', base, frameSize: frame } })
    const { storedSize, base: named } = await fs.stat(cid)

    expect(named).toEqual(unmark(base))
    // some frames have a region, and some have to go without
    expect(Number(storedSize)).toBeGreaterThan(10 * frame)
    expect(Number(storedSize)).toBeLessThan(55 * frame)
    expect(same(await collect(fs.cat(cid)), second)).toBe(true)
    await fs.verify(cid)

    for (let offset = 0; offset < second.byteLength; offset += 7 * frame + 1) {
      const length = 9 * frame
      expect(same(await collect(fs.cat(cid, { offset, length })), second.subarray(offset, offset + length))).toBe(true)
    }
  })

  it('is refused once it needs too much, if others wrote it', async () => {
    const blockstore = new CountingBlockstore()
    const count = 6
    const bytes = new Uint8Array(count * 16 * MIB)
    const fs = ipfsz({ blockstore })
    const base = await fs.addBytes(bytes, { compression: { codec: 'zstd', frameSize: 16 * MIB } })
    const { plainCid, block } = { plainCid: unmark(base), block: await getBlock(unmark(base), blockstore) }
    const link = { cid: plainCid, size: Number((await fs.stat(plainCid)).size), dagSize: block.byteLength }
    const regions = Array.from({ length: count }, (_, i) => ({ offset: i * 16 * MIB + 100, length: 70 * KIB }))
    const piece = text(64 * KIB)
    const file = await putManyFrames(
      regions.map(() => piece), frame => frame % count, 200, blockstore, {}, { link, bytes, regions }
    )
    const begun = ipfsz({ blockstore })

    expect(block.byteLength).toBeLessThan(60 * KIB)
    // a range of few frames is read
    expect(same(await collect(begun.cat(file.cid, { offset: 100, length: 64 * KIB })), Buffer.concat([
      piece.subarray(100), piece.subarray(0, 100)
    ]))).toBe(true)

    const given: number[] = []
    const read = async (): Promise<void> => {
      for await (const bytes of begun.cat(file.cid)) {
        given.push(bytes.byteLength)
      }
    }

    await expect(read()).rejects.toMatchObject({ name: 'BaseTooCostlyError', cid: unmark(file.cid), base: plainCid })
    // five pieces, and one for each MiB
    expect(given.length).toBeLessThan(7)
    await expect(begun.verify(file.cid)).rejects.toMatchObject({ name: 'BaseTooCostlyError' })
  })
})
