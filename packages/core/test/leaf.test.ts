import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packLeaves } from '../src/format/leaf.ts'

const MIB = 1024 * 1024

async function lengths (...parts: number[]): Promise<number[]> {
  const leaves = await Array.fromAsync(packLeaves((async function * () {
    yield * parts.map(length => new Uint8Array(length))
  })()))

  return leaves.map(leaf => leaf.byteLength)
}

describe('packLeaves', () => {
  it.each([
    ['nothing into no leaf', [], []],
    ['one small part into one leaf', [10], [10]],
    ['small parts into one leaf', [10, 20, 30], [60]],
    ['parts that fill a leaf exactly into one leaf', [MIB - 1, 1], [MIB]],
    ['a part into a leaf of its own if it no longer fits', [MIB - 1, 2], [MIB - 1, 2]],
    ['a part as long as a leaf into one leaf', [MIB], [MIB]],
    ['a part longer than a leaf into several leaves', [MIB + 1], [MIB, 1]],
    ['a small part after a large one into a leaf of its own', [MIB + 1, 5], [MIB, 1, 5]],
    ['a large part after a small one into leaves of its own', [5, 2 * MIB + 3, 5], [5, MIB, MIB, 3, 5]]
  ])('packs %s', async (_, parts, expected) => {
    expect(await lengths(...parts)).toEqual(expected)
  })

  it('shares leaves up to a smaller size', async () => {
    const parts = [10, 20, 30, 50, 200, 5, 5, MIB + 1].map(length => new Uint8Array(length))
    const leaves = await Array.fromAsync(packLeaves((async function * () { yield * parts })(), 60))

    expect(leaves.map(({ byteLength }) => byteLength)).toEqual([60, 50, 200, 10, MIB, 1])
  })

  it('keeps every byte in order, in leaves of at most 1 MiB', { tags: 'slow' }, async () => {
    const sizes = fc.integer({ min: 1, max: 3 * MIB })

    await fc.assert(fc.asyncProperty(fc.array(sizes, { maxLength: 6 }), async (parts) => {
      let seed = 0
      const made = parts.map(length => new Uint8Array(length).fill(++seed))
      const leaves = await Array.fromAsync(packLeaves((async function * () { yield * made })()))

      expect(Buffer.concat(leaves).equals(Buffer.concat(made))).toBe(true)
      expect(Math.max(0, ...leaves.map(leaf => leaf.byteLength))).toBeLessThanOrEqual(MIB)
    }), { numRuns: 20 })
  })
})
