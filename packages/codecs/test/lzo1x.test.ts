import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeLzo1x } from '../src/format/lzo1x-decode.ts'
import { encodeLzo1x } from '../src/format/lzo1x-encode.ts'
import { concat, noise, same, text } from './fixtures.ts'
import { readLzo1x } from './lzo1x-twin.ts'

const END = [0x11, 0, 0]
const CORRUPT = expect.objectContaining({ name: 'CorruptFrameError', codec: 'lzo' })

function encode (bytes: Uint8Array): Uint8Array {
  const target = new Uint8Array(bytes.byteLength + Math.floor(bytes.byteLength / 16) + 67)

  return target.slice(0, encodeLzo1x(bytes, target))
}

/** Decode between other bytes, and see that those stay. */
function decode (stream: Uint8Array, max: number): Uint8Array {
  const target = new Uint8Array(max + 64).fill(0xa5)

  try {
    const end = decodeLzo1x(stream, target, 32, 32 + max)

    return target.slice(32, end)
  } finally {
    const around = [...target.subarray(0, 32), ...target.subarray(32 + max)]
    expect(around.every(byte => byte === 0xa5)).toBe(true)
  }
}

/** A run of many literals, as it is written at the beginning of a stream. */
function run (literals: Uint8Array): Uint8Array {
  const rest = literals.byteLength - 18
  const zeros = Math.ceil(rest / 255) - 1

  return concat(new Uint8Array(1 + zeros), Uint8Array.of(rest - 255 * zeros), literals)
}

/** Bytes that come of a few instructions: literals, and copies from anywhere. */
const structured = fc.array(fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.tuple(fc.nat({ max: 60_000 }), fc.integer({ min: 2, max: 700 }))
), { maxLength: 40 }).map(parts => {
  const bytes: number[] = []

  for (const part of parts) {
    if (part instanceof Uint8Array) {
      bytes.push(...part)
    } else if (bytes.length > 0) {
      const offset = part[0] % bytes.length + 1
      for (let i = 0; i < part[1]; i++) {
        bytes.push(bytes[bytes.length - offset])
      }
    }
  }

  return Uint8Array.from(bytes)
})

describe('the encoder of LZO1X', () => {
  it.each([
    ['text', text(300)],
    ['noise', noise(300)],
    ['zeros', new Uint8Array(300)],
    ['pairs', Uint8Array.from({ length: 300 }, (_, i) => i % 2)]
  ])('writes every length from 0 to 300 of %s so that it can be read', (_, bytes) => {
    for (let length = 0; length <= bytes.byteLength; length++) {
      const stream = encode(bytes.subarray(0, length))

      expect(decode(stream, length)).toEqual(bytes.subarray(0, length))
      expect(readLzo1x(stream, length).bytes).toEqual(bytes.subarray(0, length))
    }
  })

  it.each([
    ['text', text(1_000_000), 700_000],
    ['noise', noise(300_000), 301_300],
    // a byte for 255
    ['zeros', new Uint8Array(1_000_000), 4000]
  ])('writes a long piece of %s so that it can be read', (_, bytes, most) => {
    const stream = encode(bytes)

    expect(stream.byteLength).toBeLessThan(most)
    expect(same(decode(stream, bytes.byteLength), bytes)).toBe(true)
  })

  it('writes anything so that it and its slow twin read it', () => {
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
  ])('finds what was %i bytes before, %i bytes long, and writes it as %s', (offset, length, kind) => {
    const bytes = concat(noise(offset), new Uint8Array(length + 3))
    bytes.copyWithin(offset, 0, length)
    // where the match is to end
    bytes[offset + length] = bytes[length] ^ 1
    const stream = encode(bytes)

    expect(readLzo1x(stream, bytes.byteLength).instructions).toContainEqual({ kind, offset, length })
    expect(same(decode(stream, bytes.byteLength), bytes)).toBe(true)
  })

  it('looks no farther back than the format reaches', () => {
    const bytes = concat(noise(49152), noise(49152).subarray(0, 600))

    expect(readLzo1x(encode(bytes), bytes.byteLength).instructions.every(({ offset }) => offset < 49152)).toBe(true)
  })

  it.each([1, 2048, 2049, 16384, 16385, 49151])('writes every length of a match %i bytes back', offset => {
    const source = noise(offset)

    for (const length of [4, 5, 8, 9, 10, 32, 33, 34, 35, 263, 264, 265, 287, 288, 289, 518, 519, 520, 542, 543, 544]) {
      const bytes = concat(source, new Uint8Array(length))

      for (let i = offset; i < bytes.byteLength; i++) {
        bytes[i] = bytes[i - offset]
      }

      expect(same(decode(encode(bytes), bytes.byteLength), bytes)).toBe(true)
    }
  })

  it('writes the same whatever it wrote before', () => {
    const first = encode(text(5000))
    encode(noise(5000))

    expect(encode(text(5000))).toEqual(first)
  })
})

describe('the decoder of LZO1X', () => {
  const far = noise(49151)

  it.each([
    ['nothing', [], 0],
    ['a first run of 1', [18, 97], 1],
    ['a first run of 4', [21, 97, 98, 99, 100], 4],
    ['a run of 4 at the beginning', [1, 97, 98, 99, 100], 4],
    ['M1 of 2 bytes after a first run of 3', [20, 97, 98, 99, 0x08, 0], 5],
    ['M1 of 2 bytes 1024 back', [...run(far.subarray(0, 1030)), 0x41, 0, 97, 0x0c, 255], 1036],
    ['M1 of 3 bytes 2049 back', [...run(far.subarray(0, 2049)), 0x00, 0], 2052],
    ['M1 of 3 bytes 3072 back, and a literal', [...run(far.subarray(0, 3072)), 0x0d, 255, 97], 3076],
    ['M2 of 3 bytes', [21, 97, 98, 99, 100, 0x4c, 0], 7],
    ['M2 of 4 bytes that overlap, and three literals', [21, 97, 98, 99, 100, 0x63, 0, 1, 2, 3], 11],
    ['M2 of 5 bytes', [21, 97, 98, 99, 100, 0x84, 0], 9],
    ['M2 of 8 bytes 2048 back', [...run(far.subarray(0, 2048)), 0xfc, 255], 2056],
    ['M3 of 3 bytes', [21, 97, 98, 99, 100, 0x21, 0x0c, 0], 7],
    ['M3 of 33 bytes', [21, 97, 98, 99, 100, 0x3f, 0, 0], 37],
    ['M3 of 34 bytes', [21, 97, 98, 99, 100, 0x20, 1, 0, 0], 38],
    ['M3 of 543 bytes 16384 back', [...run(far.subarray(0, 16384)), 0x20, 0, 255, 0xfc, 0xff], 16384 + 543],
    ['M4 of 3 bytes 16385 back', [...run(far.subarray(0, 16385)), 0x11, 4, 0], 16388],
    ['M4 of 9 bytes 32768 back', [...run(far.subarray(0, 32768)), 0x1f, 0, 0], 32777],
    ['M4 of 10 bytes 49151 back, and two literals', [...run(far), 0x18, 1, 0xfe, 0xff, 97, 98], 49163]
  ])('reads %s', (_, instructions, length) => {
    const stream = Uint8Array.from([...instructions, ...END])
    const twin = readLzo1x(stream, length)

    expect(twin.bytes.byteLength).toBe(length)
    expect(same(decode(stream, length), twin.bytes)).toBe(true)
    // where there is room behind, four bytes are copied at once
    expect(same(decode(stream, length + 100), twin.bytes)).toBe(true)
  })

  it.each([
    ['is empty', []],
    ['is of version 1, which has runs of zeros', [17, 1, 1, 97, 98, 99, 100, ...END]],
    ['has no end marker', [21, 97, 98, 99, 100]],
    ['has an end marker in other bits', [21, 97, 98, 99, 100, 0x12, 0, 0]],
    ['has literals behind its end marker', [21, 97, 98, 99, 100, 0x11, 1, 0]],
    ['has an end marker with a long length', [21, 97, 98, 99, 100, 0x10, 1, 0, 0]],
    ['goes on behind its end marker', [21, 97, 98, 99, 100, ...END, 0]],
    ['begins with a match', [0x40, 0, ...END]],
    ['has an M1 that looks behind the start', [20, 97, 98, 99, 0x0c, 0, ...END]],
    ['has an M1 of 3 bytes that looks behind the start', [21, 97, 98, 99, 100, 0x00, 0, ...END]],
    ['has an M2 that looks behind the start', [21, 97, 98, 99, 100, 0x50, 0, ...END]],
    ['has an M3 that looks behind the start', [21, 97, 98, 99, 100, 0x21, 0x10, 0, ...END]],
    ['has an M4 that looks behind the start', [21, 97, 98, 99, 100, 0x11, 4, 0, ...END]],
    ['has a run that leads behind the end', [...run(noise(101)), ...END]],
    ['has a match that leads behind the end', [21, 97, 98, 99, 100, 0x20, 64, 0, 0, ...END]],
    ['has literals after a match that lead behind the end', [21, 97, 98, 99, 100, 0x20, 61, 3, 0, 1, 2, 3, ...END]],
    ['has a run that is longer than it', [21, 97, 98, 99, ...END]],
    ['has a length without an end', [21, 97, 98, 99, 100, 0x20, 0, 0, 0, 0]],
    ['has a run of a length beyond 32 bits', [...new Uint8Array(17_000_000), 1, ...END]],
    ['has a match of a length beyond 32 bits', [21, 97, 98, 99, 100, 0x20, ...new Uint8Array(17_000_000), 1, 0, 0, ...END]]
  ])('refuses a stream that %s', (_, stream) => {
    expect(() => decode(Uint8Array.from(stream), 100)).toThrow(CORRUPT)
  })

  it('refuses a stream that is cut short, wherever that is', () => {
    const bytes = concat(text(1000), noise(300), text(2000, 2), new Uint8Array(1000))
    const stream = encode(bytes)

    for (let length = 0; length < stream.byteLength; length++) {
      expect(() => decode(stream.subarray(0, length), bytes.byteLength)).toThrow(CORRUPT)
    }
  })

  it('does with any bytes what its slow twin does', () => {
    const streams = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map(bytes => Uint8Array.from([22, 97, 98, 99, 100, 101, ...bytes, ...END])),
      fc.tuple(structured, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 })).map(([bytes, changes]) => {
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
