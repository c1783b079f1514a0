import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RegionFinder } from '../src/base/region-finder.ts'
import { chunked, noise } from './fixtures.ts'
import type { Region } from '../src/format/header.ts'

const KIB = 1024

/** 3 MiB without repeats, so that each span is in one place only. */
const BASE = noise(3072 * KIB)

async function finderOf (base: Uint8Array, chunk = 100_000): Promise<RegionFinder> {
  return RegionFinder.of(chunked(base, chunk), base.byteLength)
}

function covers (region: Region | undefined, start: number, end: number): boolean {
  return region != null && region.offset <= start && region.offset + region.length >= end
}

function join (...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

describe('RegionFinder', () => {
  it('finds a piece where it was', async () => {
    const finder = await finderOf(BASE)
    const region = finder.find(BASE.subarray(1024 * KIB, 1280 * KIB), 1024 * KIB)

    expect(covers(region, 1024 * KIB, 1280 * KIB)).toBe(true)
    expect(region?.length).toBeLessThan(320 * KIB)
  })

  it('finds any piece wherever it moved, whatever was edited in it', async () => {
    const finder = await finderOf(BASE)

    await fc.assert(fc.asyncProperty(
      fc.nat(2600 * KIB),
      fc.integer({ min: 32 * KIB, max: 400 * KIB }),
      fc.nat(2 ** 40),
      fc.array(fc.record({ at: fc.nat(), removed: fc.nat(8 * KIB), added: fc.nat(8 * KIB) }), { maxLength: 3 }),
      async (at, length, start, edits) => {
        const end = Math.min(at + length, BASE.byteLength)
        let piece = BASE.subarray(at, end)

        for (const edit of edits) {
          const place = edit.at % piece.byteLength
          piece = join(piece.subarray(0, place), noise(edit.added, edit.at), piece.subarray(place + edit.removed))
        }

        // what an edit cuts off at an end of the piece may be outside
        const lost = edits.reduce((sum, { removed }) => sum + removed, 0)

        if (piece.byteLength > 16 * KIB) {
          expect(covers(finder.find(piece, start), at + lost, end - lost)).toBe(true)
        }
      }
    ))
  })

  it.each([3072, 300])('tells how much of a piece is in a base of %i KiB, wherever that is', async size => {
    const base = BASE.subarray(0, size * KIB)
    const finder = await finderOf(base)
    const piece = join(noise(100 * KIB, 7), base.subarray(150 * KIB, 200 * KIB), base.subarray(50 * KIB, 100 * KIB))

    expect(finder.sharedBytes(piece)).toBeGreaterThan(98 * KIB)
    expect(finder.sharedBytes(piece)).toBeLessThanOrEqual(100 * KIB)
    expect(finder.sharedBytes(noise(100 * KIB, 7))).toBe(0)
  })

  it('finds nothing for a piece that has nothing in common with the base', async () => {
    const finder = await finderOf(BASE)

    expect(finder.find(noise(512 * KIB, 7), 0)).toBeUndefined()
    expect(finder.find(new Uint8Array(512 * KIB), 0)).toBeUndefined()
    expect(finder.find(new Uint8Array(0), 0)).toBeUndefined()
  })

  it('chooses the place that has most of a piece', async () => {
    const finder = await finderOf(BASE)
    const piece = join(BASE.subarray(0, 20 * KIB), BASE.subarray(2000 * KIB, 2100 * KIB))

    expect(covers(finder.find(piece, 0), 2000 * KIB, 2100 * KIB)).toBe(true)
  })

  it('chooses the nearest of equal places', async () => {
    const block = noise(100 * KIB, 2)
    const base = join(block, noise(1024 * KIB, 3), block, noise(1024 * KIB, 4), block)
    const finder = await finderOf(base)

    for (const start of [0, 1124 * KIB, 2248 * KIB]) {
      expect(covers(finder.find(block, start), start, start + block.byteLength)).toBe(true)
    }
  })

  it('takes all of a small base, even for a few bytes', async () => {
    const finder = await finderOf(noise(100 * KIB))

    expect(finder.find(Uint8Array.of(1, 2, 3), 0)).toEqual({ offset: 0, length: 100 * KIB })
  })

  it('finds a small piece in a base of up to 512 KiB, whose beginning is not all that it could be in', async () => {
    const base = noise(512 * KIB, 5)

    for (const chunk of [1000, base.byteLength]) {
      const finder = await finderOf(base, chunk)
      expect(finder.find(base, 0)).toEqual({ offset: 0, length: base.byteLength })
      const region = finder.find(base.subarray(400 * KIB, 464 * KIB), 0)
      expect(covers(region, 400 * KIB, 464 * KIB)).toBe(true)
      expect(region?.length).toBeLessThan(128 * KIB)
      expect(finder.find(noise(64 * KIB, 6), 0)).toBeUndefined()
    }
  })

  it('takes all of a larger base for a whole file that has something of it, if that is not much longer', async () => {
    const finder = await finderOf(BASE)
    const piece = join(noise(2000 * KIB, 7), BASE.subarray(100 * KIB, 700 * KIB))

    expect(finder.find(piece, 0, undefined, true)).toEqual({ offset: 0, length: BASE.byteLength })
    expect(finder.find(piece, 0)?.length).toBeLessThan(BASE.byteLength)
    expect(finder.find(piece, 0, BASE.byteLength - 1, true)?.length).toBeLessThan(BASE.byteLength)
    expect(finder.find(piece.subarray(100 * KIB), 0, undefined, true)?.length).toBeLessThan(BASE.byteLength)
    expect(finder.find(noise(2600 * KIB, 7), 0, undefined, true)).toBeUndefined()
  })

  it('never returns a region that is too short or too long', async () => {
    for (const size of [0, 1, 7]) {
      expect((await finderOf(noise(size))).find(noise(100), 0)).toBeUndefined()
    }

    expect((await finderOf(noise(8))).find(noise(100), 0)).toEqual({ offset: 0, length: 8 })

    const finder = await finderOf(BASE)

    for (const maxLength of [8, 31, 33, 64 * KIB, 1000 * KIB]) {
      const region = finder.find(BASE.subarray(1000 * KIB, 2000 * KIB), 1000 * KIB, maxLength)

      expect(region?.length ?? 8).toBeGreaterThanOrEqual(8)
      expect(region?.length ?? 8).toBeLessThanOrEqual(maxLength)
    }
  })

  it('finds the same regions however the base is cut into chunks', async () => {
    const base = BASE.subarray(0, 1100 * KIB)
    const pieces = [0, 300, 700, 900].map(at => base.subarray(at * KIB, (at + 200) * KIB))
    const regions = (finder: RegionFinder): unknown => pieces.map(piece => finder.find(piece, 0))
    const expected = regions(await finderOf(base, base.byteLength))

    for (const chunk of [7, 1001, 65_536, 1_000_000]) {
      expect(regions(await finderOf(base, chunk))).toEqual(expected)
    }
  })

  it('survives a base of one byte, of one repeated block, and of nothing but repeats', { tags: 'slow' }, async () => {
    const block = noise(5000)
    const bases = {
      zeros: new Uint8Array(3000 * KIB),
      repeated: join(...Array.from({ length: 600 }, () => block)),
      alternating: Uint8Array.from({ length: 3000 * KIB }, (_, i) => i % 2 * 255)
    }

    for (const base of Object.values(bases)) {
      const finder = await finderOf(base)
      const region = finder.find(base.subarray(1024 * KIB, 2048 * KIB), 1024 * KIB)

      expect(region == null || region.offset + region.length <= base.byteLength).toBe(true)
    }

    const zeros = await finderOf(bases.zeros)
    expect(zeros.find(bases.zeros, 0)).toBeUndefined()

    const repeated = await finderOf(bases.repeated)
    expect(repeated.find(block, 0)).toBeDefined()
  })

  it('finds the first piece of which at least a quarter is in the base, by looking at few bytes', async () => {
    const finder = await finderOf(BASE)
    const piece = 512 * KIB
    const find = (...parts: Uint8Array[]): number | undefined => finder.findShared(join(...parts), 12_345, piece)
    const part = BASE.subarray(100_001)

    expect(find(noise(3 * piece, 9))).toBeUndefined()
    expect(find(noise(3 * piece, 9), part.subarray(0, piece))).toBe(3 * piece)
    expect(find(noise(2.5 * piece, 9), part.subarray(0, piece))).toBe(2 * piece)
    expect(find(noise(2.9 * piece, 9), part.subarray(0, piece))).toBe(3 * piece)
    // a little of the base, or single samples of it
    expect(find(noise(piece / 2, 9), part.subarray(0, piece / 16), noise(piece, 8))).toBeUndefined()
    const spans = Array.from({ length: 2000 }, (_, i) => [part.subarray(i * 256, i * 256 + 256), noise(9, i + 1)])
    expect(find(...spans.flat())).toBeUndefined()
    expect(find(new Uint8Array(piece))).toBeUndefined()
    expect(find(part.subarray(0, 500))).toBeUndefined()
  })

  it('remembers a bounded number of samples, and still finds pieces of a large base', { tags: 'slow' }, async () => {
    const size = 24 * 1024 * KIB
    const base = new Uint8Array(size)

    for (let at = 0; at < size; at += BASE.byteLength) {
      base.set(BASE.subarray(0, Math.min(BASE.byteLength, size - at)), at)

      // no two of them are equal
      for (let i = at; i < Math.min(at + BASE.byteLength, size); i += 16) {
        base[i] ^= at / BASE.byteLength
      }
    }

    const finder = await finderOf(base, 1_000_000)

    for (const at of [0, 17_000_000, size - 300_000]) {
      expect(covers(finder.find(base.subarray(at, at + 256 * KIB), 0), at, at + 256 * KIB)).toBe(true)
    }
  })
})
