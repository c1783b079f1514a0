import { randomFillSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TailSet, tailOf } from '../src/protocol/tail-set.ts'

const tail = fc.oneof(
  fc.uint8Array({ minLength: 8, maxLength: 8 }),
  // many of the same, and zeros
  fc.integer({ min: 0, max: 20 }).map(i => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, i))
)

describe('a set of the ends of multihashes', () => {
  it('has what was added, as a Set of strings has', () => {
    fc.assert(fc.property(fc.array(tail, { maxLength: 200 }), fc.array(tail), (added, others) => {
      const set = new TailSet()
      const expected = new Set<string>()

      for (const one of added) {
        set.add(one)
        expected.add(one.join())
      }

      expect(set.size).toBe(expected.size)
      expect([...added, ...others].map(one => set.has(one)))
        .toEqual([...added, ...others].map(one => expected.has(one.join())))
    }))
  })

  it('takes at most 12.5 bytes for each of many', () => {
    const set = new TailSet()
    const count = 100_000
    const tails = randomFillSync(new Uint8Array(8 * count))

    for (let i = 0; i < count; i++) {
      set.add(tails.subarray(8 * i, 8 * i + 8))
    }

    expect(set.size).toBe(count)
    expect(set.byteLength / count).toBeLessThan(12.5)
  })

  it('takes the last 8 bytes of a multihash, and fills up a shorter one', () => {
    expect(tailOf(Uint8Array.of(9, 1, 2, 3, 4, 5, 6, 7, 8))).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))
    expect(tailOf(Uint8Array.of(0, 1, 7))).toEqual(Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 7))
  })
})
