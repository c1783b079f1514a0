import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutByContent, cutLength, MAX_CUT_SIZE, MIN_CUT_SIZE } from '../src/cut/cut-by-content.ts'
import { GEAR, GEAR_WINDOW } from '../src/cut/gear.ts'
import { ByteReader } from '../src/util/byte-reader.ts'
import { same } from '../../../test/support/data.ts'
import { chunked, noise, text } from './fixtures.ts'

const KIB = 1024

async function cut (bytes: Uint8Array, chunk = bytes.byteLength): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []

  for await (const piece of cutByContent(new ByteReader(chunked(bytes, chunk)))) {
    pieces.push(piece)
  }

  return pieces
}

function sizes (pieces: readonly Uint8Array[]): number[] {
  return pieces.map(({ byteLength }) => byteLength)
}

function join (...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

/** The same as {@link cutLength}, with the hash computed from its definition at every place. */
function slowCutLength (bytes: Uint8Array): number {
  const end = Math.min(bytes.byteLength, MAX_CUT_SIZE)

  for (let length = MIN_CUT_SIZE; length <= end; length++) {
    let hash = 0

    for (let i = 0; i < GEAR_WINDOW; i++) {
      hash = hash + (GEAR[bytes[length - 1 - i]] << i) | 0
    }

    if (hash >>> (length < 128 * KIB ? 15 : 17) === 0) {
      return length
    }
  }

  return end
}

describe('cutByContent', () => {
  it('cuts into pieces of 64 to 256 KiB, and about 128 KiB on average', async () => {
    for (const bytes of [noise(3000 * KIB), text(3000 * KIB)]) {
      const pieces = await cut(bytes)
      const cuts = sizes(pieces).slice(0, -1)

      expect(same(join(...pieces), bytes)).toBe(true)
      expect(Math.min(...cuts)).toBeGreaterThanOrEqual(64 * KIB)
      expect(Math.max(...cuts)).toBeLessThanOrEqual(256 * KIB)
      expect(pieces.length).toBeGreaterThan(3000 / 160)
      expect(pieces.length).toBeLessThan(3000 / 100)
    }
  })

  it('cuts in the same places however the stream comes', async () => {
    const bytes = noise(1000 * KIB)
    const expected = sizes(await cut(bytes))

    await fc.assert(fc.asyncProperty(fc.integer({ min: 1000, max: 300_000 }), async chunk => {
      expect(sizes(await cut(bytes, chunk))).toEqual(expected)
    }), { numRuns: 10 })
  })

  it('cuts where the definition says', () => {
    const bytes = noise(400 * KIB)

    for (let start = 0; start < bytes.byteLength;) {
      const rest = bytes.subarray(start)
      const length = cutLength([rest.subarray(0, 65_530), rest.subarray(65_530)])

      expect(length).toBe(slowCutLength(rest))
      start += length
    }
  })

  it('makes the same pieces of what follows an insertion or deletion', async () => {
    const bytes = noise(2000 * KIB)
    const before = new Set(sizes(await cut(bytes)))
    const edited = join(
      bytes.subarray(0, 500_000),
      noise(12_345, 2),
      bytes.subarray(501_000, 1_500_000),
      bytes.subarray(1_500_001)
    )
    const after = sizes(await cut(edited))

    expect(after.filter(size => !before.has(size)).length).toBeLessThanOrEqual(6)
  })

  it('always makes the same pieces', async () => {
    // other cuts would share nothing with files that were added before
    expect([...GEAR.subarray(0, 4)]).toEqual([-58569366, -208772600, 1323637884, 154775399])
    expect(sizes(await cut(noise(600 * KIB)))).toEqual([85_786, 132_913, 155_648, 139_434, 100_619])
  })

  it('cuts bytes that never suggest a cut at 256 KiB, and makes nothing of nothing', async () => {
    expect(sizes(await cut(new Uint8Array(600 * KIB)))).toEqual([256 * KIB, 256 * KIB, 88 * KIB])
    expect(sizes(await cut(noise(100)))).toEqual([100])
    expect(await cut(new Uint8Array(0), 1)).toEqual([])
  })
})
