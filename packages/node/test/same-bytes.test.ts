import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameBytes } from '../src/diff/same-bytes.ts'

const { signal } = new AbortController()

/** The bytes in pieces of some lengths, which may be 0. */
async function * pieces (bytes: readonly number[], lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let position = 0

  for (const length of lengths) {
    yield Uint8Array.from(bytes.slice(position, position += length))
  }

  yield Uint8Array.from(bytes.slice(position))
}

describe('sameBytes', () => {
  it('compares streams, however they are cut', async () => {
    const bytes = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 12 })
    const lengths = fc.array(fc.nat(5), { maxLength: 6 })

    await fc.assert(fc.asyncProperty(bytes, bytes, fc.boolean(), lengths, lengths, async (a, b, equal, x, y) => {
      const other = equal ? a : b

      expect(await sameBytes(pieces(a, x), pieces(other, y), signal)).toBe(a.join() === other.join())
    }))
  })

  it('closes both streams at the first difference', async () => {
    const closed: string[] = []
    const endless = async function * (byte: number): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yield Uint8Array.of(byte)
        }
      } finally {
        closed.push(`${byte}`)
      }
    }

    expect(await sameBytes(endless(1), endless(2), signal)).toBe(false)
    expect(closed).toEqual(['1', '2'])
  })
})
