/** gc deletes the blocks that this map does not hold: it must neither lose an entry nor confuse two. */
import { varint } from 'multiformats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MultihashMap } from '../src/dag/multihash-map.ts'

/** The beginnings of digests. There are few, so that many digests differ only in their last bytes. */
const prefix = fc.constantFrom(
  '',
  'a',
  '\0',
  '\0\0\0',
  'a'.repeat(28),
  'a'.repeat(30),
  '\0'.repeat(31),
  'a'.repeat(249),
  'a'.repeat(250),
  'a'.repeat(253),
  'a'.repeat(300),
  'a'.repeat(100_000)
)
const multihash = fc.record({
  code: fc.constantFrom(0x12, 0x13, 0x00, 0x1e, 0xb220),
  prefix,
  last: fc.uint8Array({ maxLength: 2 })
})
  .map(({ code, prefix, last }) => encode(code, Buffer.concat([Buffer.from(prefix), last])))

function encode (code: number, digest: Uint8Array): Uint8Array {
  return Buffer.concat([
    ...[code, digest.byteLength].map(n => varint.encodeTo(n, new Uint8Array(varint.encodingLength(n)))),
    digest
  ])
}

/** A multihash whose digest is all zeros except for a number. */
function numbered (i: number, at: number): Uint8Array {
  const digest = Buffer.alloc(32)
  digest.writeUInt32BE(i, at)

  return encode(0x12, digest)
}

function keyOf (multihash: Uint8Array): string {
  return Buffer.from(multihash).toString('latin1')
}

describe('MultihashMap', () => {
  it('has the same entries as a plain Map after any sequence of gets and sets', () => {
    fc.assert(fc.property(fc.array(
      fc.record({ multihash, value: fc.option(fc.integer({ min: 0, max: 2 ** 32 - 1 })) }),
      { maxLength: 300 }
    ), steps => {
      const map = new MultihashMap()
      const twin = new Map<string, number>()

      for (const { multihash, value } of steps) {
        if (value != null) {
          map.set(multihash, value)
          twin.set(keyOf(multihash), value)
        }

        expect(map.get(multihash)).toBe(twin.get(keyOf(multihash)))
      }

      expect(map.size).toBe(twin.size)
      steps.forEach(({ multihash }) => { expect(map.get(multihash)).toBe(twin.get(keyOf(multihash))) })
    }), { numRuns: 300 })
  })

  it('has the same entries as a plain Map for 100,000 multihashes that differ in four bytes', () => {
    const map = new MultihashMap()
    const twin = new Map<string, number>()
    for (let i = 0; i < 100_000; i++) {
      const multihash = numbered(i, i % 29)
      map.set(multihash, i)
      twin.set(keyOf(multihash), i)
    }

    let wrong = map.size - twin.size

    for (let i = 0; i < 200_000; i++) {
      const multihash = numbered(i, i % 29)
      wrong += map.get(multihash) === twin.get(keyOf(multihash)) ? 0 : 1
    }

    expect(wrong).toBe(0)
  })

  it('holds more entries than a Map can, in less than 60 bytes each', { tags: 'nightly', timeout: 600_000 }, () => {
    // a Map holds no more than 2^24 entries
    const count = 2 ** 24 + 100_000
    const digest = Buffer.alloc(32)
    const multihash = Buffer.concat([Uint8Array.of(0x12, 32), digest])
    const before = process.memoryUsage().arrayBuffers
    const map = new MultihashMap()

    for (let i = 0; i < count; i++) {
      multihash.writeUInt32LE(Math.imul(i, 0x9e3779b1) >>> 0, 2)
      map.set(multihash, i)
    }

    expect(map.size).toBe(count)
    // includes old slots of parts that grew, which may not be collected yet
    expect((process.memoryUsage().arrayBuffers - before) / count).toBeLessThan(60)

    let wrong = 0

    for (let i = 0; i < count; i += 101) {
      multihash.writeUInt32LE(Math.imul(i, 0x9e3779b1) >>> 0, 2)
      wrong += map.get(multihash) === i ? 0 : 1
    }

    expect(wrong).toBe(0)
  })
})
