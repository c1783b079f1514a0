import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noise, same, text } from './fixtures.ts'
import { decode, encode, structured } from './lzo1x-fixtures.ts'
import { readLzo1x } from './lzo1x-twin.ts'

/** `length` bytes that recur `offset` bytes later, with zeros in between: the encoder would skip through noise. */
function repeated (offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(offset + length + 3)
  bytes.set(noise(Math.min(offset, length)))

  for (let i = offset; i < offset + length; i++) {
    bytes[i] = bytes[i - offset]
  }

  // ends the match
  bytes[offset + length] = bytes[length] ^ 1

  return bytes
}

describe('the LZO1X encoder', () => {
  it.each([
    ['text', text(300)],
    ['noise', noise(300)],
    ['zeros', new Uint8Array(300)],
    ['pairs', Uint8Array.from({ length: 300 }, (_, i) => i % 2)]
  ])('writes 0 to 300 bytes of %s that the decoder and its slow twin read back', (_, bytes) => {
    for (let length = 0; length <= bytes.byteLength; length++) {
      const stream = encode(bytes.subarray(0, length))

      expect(decode(stream, length)).toEqual(bytes.subarray(0, length))
      expect(readLzo1x(stream, length).bytes).toEqual(bytes.subarray(0, length))
    }
  })

  it.each([
    ['text', text(1_000_000), 700_000],
    ['noise', noise(300_000), 301_300],
    // one byte for 255 zeros
    ['zeros', new Uint8Array(1_000_000), 4000]
  ])('writes a long piece of %s within a length limit, and the decoder reads it back', (_, bytes, most) => {
    const stream = encode(bytes)

    expect(stream.byteLength).toBeLessThan(most)
    expect(same(decode(stream, bytes.byteLength), bytes)).toBe(true)
  })

  it('writes streams that the decoder and its slow twin read back', () => {
    fc.assert(fc.property(structured, bytes => {
      const stream = encode(bytes)

      expect(same(decode(stream, bytes.byteLength), bytes)).toBe(true)
      expect(same(readLzo1x(stream, bytes.byteLength).bytes, bytes)).toBe(true)
    }))
  })

  it.each([
    [1, 8, 'M2'],
    [2047, 8, 'M2'],
    [2048, 8, 'M2'],
    [2048, 9, 'M3'],
    [2049, 8, 'M3'],
    [16383, 300, 'M3'],
    [16384, 300, 'M3'],
    [16385, 300, 'M4'],
    [32767, 9, 'M4'],
    [32768, 9, 'M4'],
    [49150, 600, 'M4'],
    [49151, 600, 'M4']
  ])('finds a match %i bytes back, %i bytes long, and writes it as %s', (offset, length, kind) => {
    const bytes = repeated(offset, length)
    const stream = encode(bytes)

    expect(readLzo1x(stream, bytes.byteLength).instructions).toContainEqual({ kind, offset, length })
    expect(same(decode(stream, bytes.byteLength), bytes)).toBe(true)
  })

  it('looks back no farther than the format allows', () => {
    const bytes = repeated(49152, 600)
    const { instructions } = readLzo1x(encode(bytes), bytes.byteLength)

    expect(instructions.filter(({ offset }) => offset >= 49152)).toEqual([])
    expect(same(decode(encode(bytes), bytes.byteLength), bytes)).toBe(true)
  })

  it.each([1, 2048, 2049, 16384, 16385, 49151])('writes matches of 5 to 544 bytes, %i bytes back', offset => {
    for (const length of [5, 8, 9, 10, 32, 33, 34, 35, 263, 264, 265, 287, 288, 289, 518, 519, 520, 542, 543, 544]) {
      const bytes = repeated(offset, length)
      const stream = encode(bytes)

      expect(readLzo1x(stream, bytes.byteLength).instructions)
        .toContainEqual(expect.objectContaining({ offset, length }))
      expect(same(decode(stream, bytes.byteLength), bytes)).toBe(true)
    }
  })

  it('writes the same stream regardless of earlier calls', () => {
    const first = encode(text(5000))
    encode(noise(5000))

    expect(encode(text(5000))).toEqual(first)
  })
})
