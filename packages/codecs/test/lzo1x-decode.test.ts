import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat, noise, same, text } from './fixtures.ts'
import { decode, encode, structured } from './lzo1x-fixtures.ts'
import { readLzo1x } from './lzo1x-twin.ts'

const END = [0x11, 0, 0]
const CORRUPT = expect.objectContaining({ name: 'CorruptFrameError', codec: 'lzo' })

/** A long run of literals, as encoded at the beginning of a stream. */
function run (literals: Uint8Array): Uint8Array {
  const rest = literals.byteLength - 18
  const zeros = Math.ceil(rest / 255) - 1

  return concat(new Uint8Array(1 + zeros), Uint8Array.of(rest - 255 * zeros), literals)
}

describe('the LZO1X decoder', () => {
  const far = noise(49151)

  it.each([
    ['no bytes', [], 0],
    ['a first run of 1', [18, 97], 1],
    ['a first run of 4', [21, 97, 98, 99, 100], 4],
    ['a run of 4 at the beginning', [1, 97, 98, 99, 100], 4],
    ['an M1 of 2 bytes after a first run of 3', [20, 97, 98, 99, 0x08, 0], 5],
    ['an M1 of 2 bytes 1024 back', [...run(far.subarray(0, 1030)), 0x41, 0, 97, 0x0c, 255], 1036],
    ['an M1 of 3 bytes 2049 back', [...run(far.subarray(0, 2049)), 0x00, 0], 2052],
    ['an M1 of 3 bytes 3072 back, and a literal', [...run(far.subarray(0, 3072)), 0x0d, 255, 97], 3076],
    ['an M2 of 3 bytes', [21, 97, 98, 99, 100, 0x4c, 0], 7],
    ['an M2 of 4 overlapping bytes, and three literals', [21, 97, 98, 99, 100, 0x63, 0, 1, 2, 3], 11],
    ['an M2 of 5 bytes', [21, 97, 98, 99, 100, 0x84, 0], 9],
    ['an M2 of 8 bytes 2048 back', [...run(far.subarray(0, 2048)), 0xfc, 255], 2056],
    ['an M3 of 3 bytes', [21, 97, 98, 99, 100, 0x21, 0x0c, 0], 7],
    ['an M3 of 33 bytes', [21, 97, 98, 99, 100, 0x3f, 0, 0], 37],
    ['an M3 of 34 bytes', [21, 97, 98, 99, 100, 0x20, 1, 0, 0], 38],
    ['an M3 of 543 bytes 16384 back', [...run(far.subarray(0, 16384)), 0x20, 0, 255, 0xfc, 0xff], 16384 + 543],
    ['an M4 of 3 bytes 16385 back', [...run(far.subarray(0, 16385)), 0x11, 4, 0], 16388],
    ['an M4 of 9 bytes 32768 back', [...run(far.subarray(0, 32768)), 0x1f, 0, 0], 32777],
    ['an M4 of 10 bytes 49151 back, and two literals', [...run(far), 0x18, 1, 0xfe, 0xff, 97, 98], 49163]
  ])('reads %s', (_, instructions, length) => {
    const stream = Uint8Array.from([...instructions, ...END])
    const twin = readLzo1x(stream, length)

    expect(twin.bytes.byteLength).toBe(length)
    expect(same(decode(stream, length), twin.bytes)).toBe(true)
    // with room after the end, the decoder copies four bytes at a time
    expect(same(decode(stream, length + 100), twin.bytes)).toBe(true)
  })

  it.each([
    ['is empty', []],
    ['is of version 1, which has runs of zeros', [17, 1, 1, 97, 98, 99, 100, ...END]],
    ['has no end marker', [21, 97, 98, 99, 100]],
    ['has an end marker with other length bits', [21, 97, 98, 99, 100, 0x12, 0, 0]],
    ['has literals after its end marker', [21, 97, 98, 99, 100, 0x11, 1, 0]],
    ['has an end marker with a long length', [21, 97, 98, 99, 100, 0x10, 1, 0, 0]],
    ['has an end marker with a long length that looks like an end marker', [21, 97, 98, 99, 100, 0x10, ...END]],
    ['continues after its end marker', [21, 97, 98, 99, 100, ...END, 0]],
    ['begins with a match', [0x40, 0, ...END]],
    ['has an M1 that reaches before the start', [20, 97, 98, 99, 0x0c, 0, ...END]],
    ['has an M1 of 3 bytes that reaches before the start', [21, 97, 98, 99, 100, 0x00, 0, ...END]],
    ['has an M2 that reaches before the start', [21, 97, 98, 99, 100, 0x50, 0, ...END]],
    ['has an M3 that reaches before the start', [21, 97, 98, 99, 100, 0x21, 0x10, 0, ...END]],
    ['has an M4 that reaches before the start', [21, 97, 98, 99, 100, 0x11, 4, 0, ...END]],
    ['has a run that exceeds the output', [...run(noise(101)), ...END]],
    ['has a match that exceeds the output', [21, 97, 98, 99, 100, 0x20, 64, 0, 0, ...END]],
    ['has literals after a match that exceed the output', [21, 97, 98, 99, 100, 0x20, 61, 3, 0, 1, 2, 3, ...END]],
    ['has a run longer than the rest of the stream', [21, 97, 98, 99, ...END]],
    ['has an unterminated length', [21, 97, 98, 99, 100, 0x20, 0, 0, 0, 0]]
  ])('refuses a stream that %s', (_, stream) => {
    expect(() => decode(Uint8Array.from(stream), 100)).toThrow(CORRUPT)
  })

  it.each([
    ['run', [0], []],
    ['match', [21, 97, 98, 99, 100, 0x20], [0, 0]]
  ])('refuses a %s with a length beyond 32 bits', (_, before, behind) => {
    const stream = concat(Uint8Array.from(before), new Uint8Array(17_000_000), Uint8Array.from([1, ...behind, ...END]))

    expect(() => decode(stream, 100)).toThrow(CORRUPT)
  })

  it('refuses a stream cut short anywhere', () => {
    const bytes = concat(text(1000), noise(300), text(2000, 2), new Uint8Array(1000))
    const stream = encode(bytes)

    for (let length = 0; length < stream.byteLength; length++) {
      expect(() => decode(stream.subarray(0, length), bytes.byteLength)).toThrow(CORRUPT)
    }
  })

  it('decodes or refuses any bytes as its slow twin does', () => {
    const streams = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map(bytes => Uint8Array.from([22, 97, 98, 99, 100, 101, ...bytes, ...END])),
      fc.tuple(structured, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 })).map(([
        bytes,
        changes
      ]) => {
        const stream = encode(bytes)
        changes.forEach(([position, byte]) => { stream[position % stream.byteLength] = byte })

        return stream
      })
    )

    fc.assert(fc.property(streams, fc.nat({ max: 3000 }), (stream, max) => {
      let expected: Uint8Array

      try {
        expected = readLzo1x(stream, max).bytes
      } catch {
        expect(() => decode(stream, max)).toThrow(CORRUPT)
        return
      }

      expect(same(decode(stream, max), expected)).toBe(true)
    }), { numRuns: 1000 })
  })
})
