import { describe, expect, it } from 'vitest'
import { crc32 } from '#platform/crc32'
import { adler32 } from '../src/format/checksums/adler32.ts'
import { decodeLzop, encodeLzop } from '../src/format/lzo/lzop-file.ts'
import { concat, fromBase64, noise, same, text, toHex } from './fixtures.ts'

const MIB = 1024 * 1024
const CORRUPT = expect.objectContaining({ name: 'CorruptFrameError', codec: 'lzo' })

const TEXT = (
  'It was the best of times, it was the worst of times, ' +
  'it was the age of wisdom, it was the age of foolishness, '
).repeat(6)

/** Members of {@link TEXT} in a file v.txt of the year 2001, made by Debian's lzop 1.04. */
const VECTORS: ReadonlyArray<readonly [string, string]> = [
  [
    'lzop -c -1 v.txt',
    'iUxaTwANChoKEEAgoAlAAgEDAAAJAACBpDuaygAAAAAABXYudHh0UhAGNgAAApQAAABj0drl8wANSXQgd2FzIHRoZSBiZXN0IG9m' +
      'IHRpbWVzLCBpdCB3YacDd29yNmsAYWdlbAYDd2lzZG9tK9AAxAMKZm9vbGlzaG5lc3MsICAA9LQBD2Ugb2YgZm9vbGlzaG5lc3Ms' +
      'IBEAAAAAAAA='
  ],
  [
    'lzop -c -3F v.txt',
    'iUxaTwANChoKEEAgoAlAAQUDAAAIAACBpDuaygAAAAAABXYudHh0UkEGOAAAApQAAABjAA1JdCB3YXMgdGhlIGJlc3Qgb2YgdGlt' +
      'ZXMsIGl0IHdhpwN3b3I2awBhZ2VsBgN3aXNkb20r0ADEAwpmb29saXNobmVzcywgIAD0tAEPZSBvZiBmb29saXNobmVzcywgEQAA' +
      'AAAAAA=='
  ],
  [
    'lzop -c -9 v.txt',
    'iUxaTwANChoKEEAgoAlAAwkDAAAJAACBpDuaygAAAAAABXYudHh0UuAGPwAAApQAAABK0drl8yxJdCB3YXMgdGhlIGJlc3Qgb2Yg' +
      'dGltZXMsIGkoZwB3b3I2awBhZ2VgAwN3aXNkb20yZAAHZm9vbGlzaG5lc0AHIAAAB7QBEQAAAAAAAA=='
  ],
  [
    'lzop -c -CC v.txt',
    'iUxaTwANChoKEEAgoAlAAQUDAAALAACBpDuaygAAAAAABXYudHh0UnoGOwAAApQAAABj0drl823NILYADUl0IHdhcyB0aGUgYmVz' +
      'dCBvZiB0aW1lcywgaXQgd2GnA3dvcjZrAGFnZWwGA3dpc2RvbSvQAMQDCmZvb2xpc2huZXNzLCAgAPS0AQ9lIG9mIGZvb2xpc2hu' +
      'ZXNzLCARAAAAAAAA'
  ],
  [
    'lzop -c -CC --crc32 v.txt',
    'iUxaTwANChoKEEAgoBABAQUDABMIAACBpDuaygAAAAAABXYudHh0M3yNWwAAApQAAABjLRa7CDnGWoAADUl0IHdhcyB0aGUgYmVz' +
      'dCBvZiB0aW1lcywgaXQgd2GnA3dvcjZrAGFnZWwGA3dpc2RvbSvQAMQDCmZvb2xpc2huZXNzLCAgAPS0AQ9lIG9mIGZvb2xpc2hu' +
      'ZXNzLCARAAAAAAAA'
  ],
  [
    'lzop -c < v.txt',
    'iUxaTwANChoKEEAgoAlAAQUDAAANAACBpDuaygAAAAAAADe4BDQAAAKUAAAAY9Ha5fMADUl0IHdhcyB0aGUgYmVzdCBvZiB0aW1l' +
      'cywgaXQgd2GnA3dvcjZrAGFnZWwGA3dpc2RvbSvQAMQDCmZvb2xpc2huZXNzLCAgAPS0AQ9lIG9mIGZvb2xpc2huZXNzLCARAAAA' +
      'AAAA'
  ]
]

interface Header {
  version?: number
  needed?: number
  method?: number
  flags?: number
  name?: string
  extra?: string
}

/** The header of a member, as lzop accepts it. */
function header (
  { version = 0x1040, needed = 0x0940, method = 1, flags = 0, name = '', extra }: Header = {}
): Uint8Array {
  const isLong = version >= 0x0940
  const checksum = (flags & 0x1000) === 0 ? adler32 : crc32
  const bytes = concat(
    Uint8Array.of(version >> 8, version, 0x20, 0xa0, ...isLong ? [needed >> 8, needed, method, 5] : [method]),
    word(flags), word(0o100644), word(1_000_000_000), new Uint8Array(isLong ? 4 : 0),
    Uint8Array.of(name.length), new TextEncoder().encode(name)
  )
  const field = extra == null ? new Uint8Array(0) : concat(word(extra.length), new TextEncoder().encode(extra))

  return concat(
    Uint8Array.of(0x89, 0x4c, 0x5a, 0x4f, 0x00, 0x0d, 0x0a, 0x1a, 0x0a), bytes, word(checksum(bytes)),
    field, extra == null ? field : word(checksum(field))
  )
}

function word (value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}

const CONTENT = new TextEncoder().encode('abcabcabcabc')
/** {@link CONTENT} as LZO1X: three literals and a match. */
const STREAM = Uint8Array.of(20, 97, 98, 99, 0x27, 0x08, 0x00, 0x11, 0x00, 0x00)
const LAST = word(0)

/** A block with the given checksums. */
function block (bytes: Uint8Array, length: number, ...sums: number[]): Uint8Array {
  return concat(word(length), word(bytes.byteLength), ...sums.map(word), bytes)
}

const BLOCK = block(STREAM, 12)

describe('an lzop member', () => {
  it.each([
    ['no bytes', new Uint8Array(0)],
    ['one byte', text(1)],
    ['256 KiB of text', text(256 * 1024)],
    ['256 KiB and one byte of text', text(256 * 1024 + 1)],
    ['noise', noise(1_000_000)],
    ['zeros', new Uint8Array(16 * MIB)],
    ['text, noise and zeros', concat(text(700_000), noise(700_000), new Uint8Array(700_000))]
  ])('round-trips %s', (_, bytes) => {
    const frame = encodeLzop(bytes)

    expect(frame.byteLength).toBeLessThanOrEqual(bytes.byteLength + 42 + 8 * Math.ceil(bytes.byteLength / 262144))
    expect(same(decodeLzop(frame, bytes.byteLength), bytes)).toBe(true)
  })

  it('has no name, time or content checksums, so the same bytes always give the same member', () => {
    expect(toHex(encodeLzop(CONTENT)))
      .toBe(`894c5a4f000d0a1a0a104020a00940010503000000000081a40000000000000000002a990288${toHex(concat(BLOCK, LAST))}`)
    expect(same(encodeLzop(text(600_000)), encodeLzop(text(600_000)))).toBe(true)
  })

  it('is read from a part of a larger buffer', () => {
    const frame = concat(noise(5), encodeLzop(text(5000)), noise(5))

    expect(same(decodeLzop(frame.subarray(5, -5), 5000), text(5000))).toBe(true)
    expect(same(encodeLzop(concat(noise(5), text(5000)).subarray(5)), frame.subarray(5, -5))).toBe(true)
  })

  it.each(VECTORS)('is read if made by %s', (_, vector) => {
    expect(new TextDecoder().decode(decodeLzop(fromBase64(vector), TEXT.length))).toBe(TEXT)
  })

  it.each(VECTORS)('is refused if cut short anywhere (%s)', (_, vector) => {
    const frame = fromBase64(vector)

    for (let length = 0; length < frame.byteLength; length++) {
      expect(() => decodeLzop(frame.subarray(0, length), TEXT.length)).toThrow(CORRUPT)
    }
  })

  it.each(VECTORS)('is refused with any bit flipped (%s)', (command, vector) => {
    const frame = fromBase64(vector)
    // without checksums, a bit flipped after the block's length only changes the text
    const end = command.includes('F') ? 51 : frame.byteLength

    for (let bit = 0; bit < end * 8; bit++) {
      const flipped = frame.slice()
      flipped[bit >> 3] ^= 1 << (bit & 7)

      expect(() => decodeLzop(flipped, TEXT.length)).toThrow(CORRUPT)
    }
  })

  it.each<[string, Uint8Array]>([
    [
      'has a name, a time and an extra field',
      concat(header({ name: 'a name', flags: 0x40, extra: 'and more' }), BLOCK)
    ],
    ['has an extra field and CRC-32', concat(header({ flags: 0x1040, extra: '' }), BLOCK)],
    ['is of version 0.9', concat(header({ version: 0x0900, name: 'old' }), BLOCK)],
    ['is of a newer version that 1.04 can read', concat(header({ version: 0x2000, needed: 0x1040 }), BLOCK)],
    ['is of method 3', concat(header({ method: 3 }), BLOCK)],
    [
      'has four checksums',
      concat(
        header({ flags: 0x303 }),
        block(STREAM, 12, adler32(CONTENT), crc32(CONTENT), adler32(STREAM), crc32(STREAM))
      )
    ],
    [
      'has a stored block, which has two checksums',
      concat(header({ flags: 0x303 }), block(CONTENT, 12, adler32(CONTENT), crc32(CONTENT)))
    ],
    ['has blocks of one byte', concat(header(), ...Array.from(CONTENT, byte => block(Uint8Array.of(byte), 1)))]
  ])('is read if it %s', (_, member) => {
    expect(decodeLzop(concat(member, LAST), 12)).toEqual(CONTENT)
  })

  it.each<[string, Uint8Array]>([
    ['is empty', new Uint8Array(0)],
    ['is of a version before 0.9', concat(header({ version: 0x08ff }), BLOCK, LAST)],
    ['needs a version after 1.04', concat(header({ needed: 0x1041 }), BLOCK, LAST)],
    ['is of method 0', concat(header({ method: 0 }), BLOCK, LAST)],
    ['is of method 4', concat(header({ method: 4 }), BLOCK, LAST)],
    ['is part of an archive', concat(header({ flags: 0x400 }), BLOCK, LAST)],
    ['is filtered', concat(header({ flags: 0x800 }), BLOCK, LAST)],
    ['has an unknown flag', concat(header({ flags: 0x4000 }), BLOCK, LAST)],
    ['has an extra field of 4 GiB', concat(header({ flags: 0x40 }), word(0xffffffff), BLOCK, LAST)],
    ['has a block of 4 GiB', concat(header(), word(0xffffffff), word(10), STREAM, LAST)],
    ['has a compressed block of 4 GiB', concat(header(), word(12), word(0xffffffff), STREAM, LAST)],
    [
      'has a block that did not shrink and is not stored',
      concat(header(), block(concat(STREAM, new Uint8Array(3)), 12), LAST)
    ],
    ['has a block without bytes', concat(header(), block(new Uint8Array(0), 12), LAST)],
    ['has a block that decodes to less than its length', concat(header(), block(STREAM.subarray(-3), 12), LAST)],
    [
      'has a block that decodes to more than its length',
      concat(header(), block(STREAM, 11), block(CONTENT.subarray(0, 1), 1), LAST)
    ],
    [
      'has a match into the previous block',
      concat(header(), block(CONTENT.subarray(0, 6), 6), block(Uint8Array.of(18, 97, 0x63, 0), 6), LAST)
    ],
    ['holds one byte too few', concat(header(), block(CONTENT.subarray(1), 11), LAST)],
    ['holds one byte too many', concat(header(), BLOCK, block(CONTENT.subarray(0, 1), 1), LAST)],
    ['is followed by a byte', concat(header(), BLOCK, LAST, Uint8Array.of(0))],
    ['is followed by another member', concat(header(), BLOCK, LAST, header(), LAST)],
    ['has a wrong Adler-32 of its content', concat(header({ flags: 1 }), block(STREAM, 12, 1), LAST)],
    ['has a wrong CRC-32 of its content', concat(header({ flags: 0x100 }), block(STREAM, 12, 1), LAST)],
    [
      'has a wrong Adler-32 of a compressed block',
      concat(header({ flags: 3 }), block(STREAM, 12, adler32(CONTENT), 1), LAST)
    ],
    [
      'has a wrong CRC-32 of a compressed block',
      concat(header({ flags: 0x300 }), block(STREAM, 12, crc32(CONTENT), 1), LAST)
    ],
    ['has a wrong Adler-32 of a stored block', concat(header({ flags: 1 }), block(CONTENT, 12, 1), LAST)]
  ])('is refused if it %s', (_, frame) => {
    expect(() => decodeLzop(frame, 12)).toThrow(CORRUPT)
  })
})

describe('Adler-32', () => {
  it('matches RFC 1950', () => {
    expect(adler32(new Uint8Array(0))).toBe(1)
    // from Wikipedia's article
    expect(adler32(new TextEncoder().encode('Wikipedia'))).toBe(0x11e60398)
  })

  it('does not overflow', () => {
    // zlib.adler32 of Python
    expect(adler32(new Uint8Array(MIB).fill(0xff))).toBe(0x8e88ef11)
  })
})
