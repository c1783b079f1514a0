import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { rawBytesIn, rawFrameSize, rawRange, writeRawFrame } from '../src/format/raw-frame.ts'

const SIZE = 300_000
const content = randomBytes(SIZE)
const frame = Buffer.alloc(rawFrameSize(SIZE))
writeRawFrame(frame, 0, [content], SIZE)

/** Bytes in parts that end at some of their positions. */
function cut (bytes: Uint8Array, ends: readonly number[]): Uint8Array[] {
  const all = [0, ...ends.map(end => Math.floor(end * bytes.byteLength)).toSorted((a, b) => a - b), bytes.byteLength]

  return all.slice(1).map((end, i) => bytes.subarray(all[i], end))
}

it('takes bytes out of parts of a frame, wherever these are cut, into memory of their own', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })

  fc.assert(fc.property(share, share, share, fc.array(share, { maxLength: 6 }), (a, b, c, ends) => {
    const [first, position, to] = [a, b, c].map(share => Math.floor(share * SIZE)).toSorted((a, b) => a - b)
    const { start, end } = rawRange(first, to - first)
    const bytes = rawBytesIn(cut(frame.subarray(start, end), ends), first, { position, length: to - position })

    expect(Buffer.compare(bytes, content.subarray(position, to))).toBe(0)
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength)
  }))
})

it('takes them out of parts that are cut in and beside the headers of blocks', () => {
  for (const header of [10, 10 + 3 + 128 * 1024]) {
    for (let at = header - 2; at <= header + 5; at++) {
      const parts = [frame.subarray(13, at), frame.subarray(Math.max(13, at))]
      const bytes = rawBytesIn(parts, 0, { position: 0, length: SIZE })

      expect(Buffer.compare(bytes, content)).toBe(0)
    }
  }
})
