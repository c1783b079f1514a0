import { FilterModule } from '@ipfsz/codecs/filters'
import { zstd } from '@ipfsz/codecs/zstd'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chooseFilters } from '../src/filters/choose-filters.ts'
import { estimateBits } from '../src/filters/estimate.ts'
import { findRecordSize } from '../src/filters/find-record-size.ts'
import { applyFilters, decodeFilters, encodeFilters, prepareFilters, undoFilters } from '../src/filters/filters.ts'
import { same } from '../../../test/support/data.ts'
import { noise, text } from './fixtures.ts'
import type { Filter } from '../src/filters/filter.ts'

const KIB = 1024

const DELTAS = ([1, 2, 3, 4, 8] as const).map((width): Filter => ({ kind: 'delta', width }))
const RECORD_SIZES = Array.from({ length: 63 }, (_, i) => i + 2)
const SHUFFLES = RECORD_SIZES.map((width): Filter => ({ kind: 'shuffle', width }))
const RECORDS = RECORD_SIZES.map((width): Filter => ({ kind: 'records', width }))
const ALL = [...DELTAS, ...SHUFFLES, ...RECORDS]
const CODES = [
  0x101, 0x102, 0x103, 0x104, 0x108,
  ...RECORD_SIZES.map(width => 0x200 + width),
  ...RECORD_SIZES.map(width => 0x300 + width)
]

const chains = fc.shuffledSubarray(ALL, { maxLength: 4 })

/** What the format says, byte by byte: the slow twin. */
function slow (bytes: Uint8Array, { kind, width }: Filter): Uint8Array {
  const count = Math.floor(bytes.byteLength / width)
  const result = bytes.slice()

  for (let i = 0; i < count; i++) {
    const value = kind === 'delta' ? number(bytes, i, width) - (i === 0 ? 0n : number(bytes, i - 1, width)) : 0n

    for (let plane = 0; plane < width; plane++) {
      if (kind === 'delta') {
        result[i * width + plane] = Number(BigInt.asUintN(64, value) >> BigInt(plane * 8) & 0xffn)
      } else {
        const at = i * width + plane
        result[plane * count + i] = bytes[at] - (kind === 'records' && i > 0 ? bytes[at - width] : 0)
      }
    }
  }

  return result
}

function number (bytes: Uint8Array, index: number, width: number): bigint {
  return bytes.slice(index * width, (index + 1) * width).reduceRight((value, byte) => value << 8n | BigInt(byte), 0n)
}

/** Numbers of a type that follow a wave, with some noise. */
function wave<T extends ArrayLike<number> & { buffer: ArrayBufferLike }> (
  type: { from (values: ArrayLike<number>): T },
  scale: number
): Uint8Array {
  const random = noise(100_000)
  const values = Float64Array.from(random, (byte, i) => scale * (Math.sin(i / 300) + byte / 50_000))

  return new Uint8Array(type.from(values).buffer)
}

/** Records as surveys have them: counters, fields that change now and then, and noisy ones. */
function records (size: number, length: number): Uint8Array {
  const random = noise(length)
  const bytes = new Uint8Array(length)

  for (let at = 0, i = 0; at + size <= length; at += size, i++) {
    for (let field = 0; field < size; field++) {
      bytes[at + field] = random[field] + [i, i >> 5, random[at + field] & 7][field % 3]
    }
  }

  return bytes
}

/** Samples of 24 bits that follow a wave, with noise in the lowest byte. */
function wave24 (count: number): Uint8Array {
  const random = noise(count)
  const bytes = new Uint8Array(count * 3)

  for (let i = 0; i < count; i++) {
    const sample = Math.round(4e6 * Math.sin(i / 300)) & ~0xff | random[i]
    bytes.set([sample, sample >> 8, sample >> 16], i * 3)
  }

  return bytes
}

describe.each(['WebAssembly', 'JavaScript'])('filters in %s', where => {
  beforeEach(async () => {
    await prepareFilters()

    if (where === 'JavaScript') {
      vi.spyOn(FilterModule, 'shared', 'get').mockReturnValue(undefined)
    }

    expect(FilterModule.shared == null).toBe(where === 'JavaScript')
  })

  afterEach(() => { vi.restoreAllMocks() })

  it('are undone exactly, for any bytes and any chain', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(7), chains, (bytes, skip, chain) => {
      const original = bytes.subarray(Math.min(skip, bytes.byteLength))
      const before = original.slice()
      const filtered = applyFilters(original, chain)

      expect(original).toEqual(before)
      expect(filtered.byteLength).toBe(original.byteLength)
      expect(undoFilters(filtered.slice(), chain)).toEqual(before)
    }))
  })

  it('do what the format says', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), chains, (bytes, chain) => {
      expect(applyFilters(bytes, chain)).toEqual(chain.reduce(slow, bytes))
    }))
  })

  it('do what the format says with more records than are moved at a time', () => {
    const memory = noise(40 * KIB, 3)

    // differences of bytes after planes are one pass with them
    const chains = [
      ...[...SHUFFLES, ...RECORDS].map(filter => [filter]),
      ...SHUFFLES.map(filter => [filter, DELTAS[0]])
    ]

    fc.assert(fc.property(fc.constantFrom(...chains), fc.nat(7), fc.nat(100), (chain, skip, less) => {
      const bytes = memory.subarray(skip, memory.byteLength - less)
      const filtered = new Uint8Array(memory.byteLength).subarray(skip, memory.byteLength - less)
      filtered.set(chain.reduce(slow, bytes))

      expect(same(applyFilters(bytes, chain), filtered)).toBe(true)
      expect(same(undoFilters(filtered, chain), bytes)).toBe(true)
    }), { numRuns: 90 })
  })
})

describe('what filters are chosen by', () => {
  it('is the same in WebAssembly and in JavaScript', async () => {
    await prepareFilters()

    const sizes = fc.integer({ min: 0, max: 20_000 })

    fc.assert(fc.property(fc.constantFrom(...ALL), sizes, fc.nat(7), (filter, size, skip) => {
      const bytes = records(filter.width, size + skip).subarray(skip)
      const measure = (): unknown => [estimateBits(bytes, [filter]), findRecordSize(bytes, [1, 2, 4])]
      const inWebAssembly = measure()
      const spy = vi.spyOn(FilterModule, 'shared', 'get').mockReturnValue(undefined)
      expect(measure()).toEqual(inWebAssembly)
      spy.mockRestore()
    }), { numRuns: 60 })
  })
})

describe('filters', () => {
  it('undo in the same memory if nothing is shuffled', () => {
    const bytes = noise(100)

    expect(undoFilters(bytes, DELTAS)).toBe(bytes)
    expect(applyFilters(bytes, [])).toBe(bytes)
  })

  it('have codes', () => {
    expect(encodeFilters(ALL)).toEqual(CODES)
    expect(ALL.map(filter => decodeFilters(encodeFilters([filter])))).toEqual(ALL.map(filter => [filter]))
    expect(decodeFilters([0x204, 0x101])).toEqual([{ kind: 'shuffle', width: 4 }, { kind: 'delta', width: 1 }])
  })

  it('refuses codes that are unknown, twice in a list, none or more than four', () => {
    const known = new Set(CODES)

    for (let code = 0; code < 2000; code++) {
      expect(decodeFilters([code]) != null).toBe(known.has(code))
    }

    for (const codes of [[], [0x101, 0x101], CODES.slice(0, 5), [0x101, 0], [-1], [2 ** 32 + 0x101], [Number.NaN]]) {
      expect(decodeFilters(codes)).toBeUndefined()
    }
  })
})

/** Bytes of which one value in twenty is twice as frequent as the others: too little for them to shrink. */
function unevenNoise (size: number): Uint8Array {
  return noise(size).map(byte => byte % 244)
}

describe('chooseFilters', () => {
  it.each([16 * KIB, 100_000])('frees what it made of %i bytes to try filters, and not the bytes', async size => {
    const piece = unevenNoise(size)
    const copy = piece.slice()
    const made: Uint8Array[] = []

    await chooseFilters(piece, async bytes => {
      const frame = bytes.slice()

      if (bytes.buffer !== piece.buffer) {
        made.push(bytes)
      }

      made.push(frame)

      return frame
    })

    expect(made.length).toBeGreaterThan(6)
    // the sample itself is garbage
    expect(new Set(made.filter(({ byteLength }) => byteLength > 0).map(({ buffer }) => buffer)).size)
      .toBeLessThanOrEqual(1)
    expect(piece).toEqual(copy)
  })

  const codec = zstd()
  const compress = async (bytes: Uint8Array): Promise<Uint8Array> => codec.compress(bytes, { level: 1 })

  it('chooses filters that save a tenth for arrays of numbers', { tags: 'slow' }, async () => {
    const counter = new Uint8Array(Uint32Array.from({ length: 50_000 }, (_, i) => i * 1000 + i % 7).buffer)
    const swapped = wave(Int16Array, 10_000).slice()
    new DataView(swapped.buffer).setUint16(0, 0)

    for (let i = 0; i < swapped.byteLength; i += 2) {
      swapped.subarray(i, i + 2).reverse()
    }

    const arrays = [
      wave(Int16Array, 10_000), wave(Int32Array, 1e8), wave(Float32Array, 1), wave(Float64Array, 1), swapped, counter
    ]

    for (const array of arrays) {
      for (const bytes of [array, array.subarray(0, 20_000)]) {
        const filters = await chooseFilters(bytes, compress)
        const [plain, filtered] = await Promise.all([compress(bytes), compress(applyFilters(bytes, filters))])

        expect(decodeFilters(encodeFilters(filters))).toEqual(filters)
        expect(filtered.byteLength).toBeLessThan(plain.byteLength * 0.92)
      }
    }
  })

  it('chooses filters of three bytes for sound of 24 bits, whatever comes before it', async () => {
    const sound = wave24(60_000)

    for (const header of [0, 44, 46]) {
      const bytes = Buffer.concat([new Uint8Array(header), sound])
      const filters = await chooseFilters(bytes, compress)

      expect(filters[0]).toMatchObject({ width: 3 })
      expect((await compress(applyFilters(bytes, filters))).byteLength)
        .toBeLessThan((await compress(bytes)).byteLength * 0.85)
    }
  })

  it.each([5, 12, 14, 28, 36, 61, 64])('finds records of %i bytes, whatever comes before them', async size => {
    for (const header of [0, 227, 5000]) {
      const bytes = Buffer.concat([noise(header), records(size, 100_000)])
      const filters = await chooseFilters(bytes, compress)

      expect(filters).toEqual([{ kind: 'records', width: size }])
      expect((await compress(applyFilters(bytes, filters))).byteLength)
        .toBeLessThan((await compress(bytes)).byteLength * 0.75)
    }
  })

  it('chooses planes without differences for records of fields that jump', async () => {
    // the high byte of each field is one of few values, the others are noise
    const bytes = noise(110_000).map((byte, i) => i % 11 < 3 ? byte : byte & 1)

    expect(await chooseFilters(bytes, compress)).toEqual([{ kind: 'shuffle', width: 11 }])
  })

  it('chooses none for text, noise, zeros and short files', async () => {
    const utf8 = new TextEncoder().encode('Größe, 数値, число\n'.repeat(5000))

    const short = wave(Int16Array, 10_000).subarray(0, 1000)

    for (const bytes of [text(500 * KIB), utf8, noise(300 * KIB), new Uint8Array(300 * KIB), short]) {
      expect(await chooseFilters(bytes, compress)).toEqual([])
    }
  })

  it('chooses none where little is stored without them', async () => {
    const bytes = Uint8Array.from({ length: 300 * KIB }, (_, i) => i % 251)

    expect(await chooseFilters(bytes, compress)).toEqual([])
  })

  it('tries on little what is no array of numbers', async () => {
    // text between pieces of few values, as a program has
    const [words, codes] = [text(300 * KIB), noise(300 * KIB)]
    const bytes = codes.map((code, i) => codes[i >> 6] < 80 ? code & 3 : words[i])
    let tried = 0

    const filters = await chooseFilters(bytes, async sample => {
      tried += sample.byteLength
      return compress(sample)
    })

    expect(filters).toEqual([])
    // as many on 64 KiB without the first round
    expect(tried).toBeLessThanOrEqual(6 * 16 * KIB)
  })

  it('tries only differences between records on a small piece that has them', async () => {
    let tried = 0

    const filters = await chooseFilters(records(34, 60_000), async sample => {
      tried += sample.byteLength
      return compress(sample)
    })

    expect(filters).toEqual([{ kind: 'records', width: 34 }])
    expect(tried).toBeLessThanOrEqual(2 * 16 * KIB)
  })

  it('tries on little what shrinks with no filters and without', async () => {
    let tried = 0

    expect(await chooseFilters(unevenNoise(300 * KIB), async sample => {
      tried += sample.byteLength
      return compress(sample)
    })).toEqual([])
    expect(tried).toBeGreaterThan(3 * 16 * KIB)
    expect(tried).toBeLessThanOrEqual(6 * 16 * KIB)
  })

  it.each([text(100_000), noise(16 * KIB), noise(300 * KIB)])('tries nothing on text and noise', async piece => {
    let tried = 0

    await chooseFilters(piece, async bytes => {
      tried++
      return bytes
    })

    expect(tried).toBe(0)
  })

  it.each([1, 2, 3, 4, 8])('chooses differences for what looks like noise but at a distance of %i', async distance => {
    const bytes = noise(64 * KIB)

    for (let i = distance; i < bytes.byteLength; i++) {
      bytes[i] = bytes[i - distance] + bytes[i] % 16
    }

    expect(await chooseFilters(bytes, compress)).toContainEqual(expect.objectContaining({ kind: 'delta' }))
  })

  it('tries bytes with a control character at any place in memory, unless that is white space', async () => {
    const size = 16 * KIB + 3

    for (const [byteOffset, control] of [[0, 0x00], [1, 0x08], [2, 0x0e], [3, 0x1f], [1, 0x09], [2, 0x0d], [3, 0xff]]) {
      for (const place of [0, 1, 2, 3, 4, 5001, size - 2, size - 1]) {
        const bytes = new Uint8Array(new ArrayBuffer(size + byteOffset), byteOffset).fill(0xe9).fill(0x61, 100, 9000)
        let tried = false
        bytes[place] = control

        await chooseFilters(bytes, async frame => {
          tried = true
          return frame
        })

        expect(tried).toBe([0x00, 0x08, 0x0e, 0x1f].includes(control))
      }
    }
  })
})
