import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sketchOf, SKETCHED_SIZE } from '../src/index.ts'
import { noise, text } from './fixtures.ts'

function common (a: Uint8Array, b: Uint8Array): number {
  const numbers = new Set(sketchOf(a))

  return sketchOf(b).filter(number => numbers.has(number)).length
}

describe('sketchOf', () => {
  it('has numbers in common for bytes of which most are the same, wherever they moved', () => {
    const bytes = noise(100_000)

    fc.assert(fc.property(fc.nat(90_000), fc.nat(5000), fc.nat(5000), (at, removed, added) => {
      const edited = Buffer.concat([bytes.subarray(0, at), noise(added, 5), bytes.subarray(at + removed)])

      expect(common(bytes, edited)).toBeGreaterThanOrEqual(2)
    }), { numRuns: 20 })
  })

  it('has none in common for other bytes, and few numbers for monotonous ones', () => {
    expect(common(noise(100_000), noise(100_000, 9))).toBe(0)
    expect(sketchOf(new Uint8Array(100_000)).length).toBeLessThanOrEqual(1)
    expect(sketchOf(text(10))).toEqual([])
    expect(sketchOf(noise(10_000))).toHaveLength(8)
  })

  it('has the least numbers in order, of the first 256 KiB', () => {
    const bytes = noise(SKETCHED_SIZE + 1000)
    const sketch = sketchOf(bytes)

    expect(sketch).toEqual(sketch.toSorted((a, b) => a - b))
    expect(new Set(sketch).size).toBe(8)
    expect(sketchOf(bytes.subarray(0, SKETCHED_SIZE))).toEqual(sketch)
  })
})
