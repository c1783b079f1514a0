import zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deflateStream, inflateStream } from '../src/stream/deflate-stream.ts'

const SYNC = { finishFlush: zlib.constants.Z_SYNC_FLUSH }

describe('a deflate stream in JavaScript', () => {
  it('flushes each piece, so that everything written so far decodes', { tags: 'slow' }, () => {
    fc.assert(fc.property(fc.array(
      fc.uint8Array({ minLength: 1, maxLength: 500 })
    ), fc.integer({ min: 1, max: 9 }), (pieces, level) => {
      const stream = deflateStream(level)
      const back = inflateStream()
      const compressed: Uint8Array[] = []

      for (const piece of pieces) {
        const bytes = stream.compress(piece)
        compressed.push(bytes)
        expect(back.decompress(bytes, piece.byteLength)).toEqual(piece)
      }

      expect(zlib.inflateRawSync(Buffer.concat(compressed), SYNC)).toEqual(Buffer.concat(pieces))
    }), { numRuns: 50 })
  })

  it('compresses repetitions of earlier bytes', () => {
    const stream = deflateStream(6)
    const bytes = new TextEncoder().encode('what is said twice costs only once, or hardly more than that')

    expect(stream.compress(bytes).byteLength).toBeGreaterThan(40)
    expect(stream.compress(bytes).byteLength).toBeLessThan(12)
  })

  it('compresses inputs larger than its buffers', { tags: 'slow' }, () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => Math.imul(i, 2654435761) >>> 13)

    expect(inflateStream().decompress(deflateStream(1).compress(bytes), bytes.byteLength)).toEqual(bytes)
  })

  it.each([
    ['decodes to more bytes than requested', zlib.deflateRawSync(new Uint8Array(1e6), SYNC), 10],
    ['decodes to fewer bytes than requested', zlib.deflateRawSync(new Uint8Array(9), SYNC), 10],
    ['ends the stream', zlib.deflateRawSync(new Uint8Array(10)), 10],
    ['is damaged', Uint8Array.of(7, 7, 7, 7), 10]
  ])('refuses input that %s', (_, bytes, size) => {
    expect(() => inflateStream().decompress(bytes, size))
      .toThrow(expect.objectContaining({ name: 'CorruptFrameError', codec: 'deflate' }))
  })
})
