import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinChunks } from '../src/write/join-chunks.ts'
import { collect, text } from './fixtures.ts'

describe('joinChunks', () => {
  it('keeps every byte in order', async () => {
    const bytes = text(400_000)
    const sizes = fc.oneof(fc.nat(10), fc.nat(5000), fc.nat(80_000))

    await fc.assert(fc.asyncProperty(fc.array(sizes, { maxLength: 60 }), async (lengths) => {
      let end = 0
      const gathered = await collect(joinChunks((async function * () {
        for (const length of lengths) {
          yield bytes.subarray(end, end += length)
        }
      })()))

      expect(Buffer.compare(gathered, bytes.subarray(0, Math.min(end, bytes.byteLength)))).toBe(0)
    }), { numRuns: 50 })
  })

  it('joins small chunks, and passes large ones unchanged', async () => {
    const large = text(5000)
    const lengths: number[] = []
    const source = (async function * () {
      for (let i = 0; i < 100_000; i++) {
        yield Uint8Array.of(i)
      }
      yield large
      yield text(3)
    })()

    for await (const chunk of joinChunks(source)) {
      lengths.push(chunk.byteLength)
      expect(chunk.byteLength !== 5000 || chunk === large).toBe(true)
    }

    expect(lengths).toEqual([65536, 34464, 5000, 3])
  })
})
