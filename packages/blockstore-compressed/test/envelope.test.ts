import { CODES } from '@ipfsz/codecs'
import fc from 'fast-check'
import { varint } from 'multiformats'
import { describe, expect, it } from 'vitest'
import { IDENTITY_CODE } from '../src/constants.ts'
import { beginsLike, encodeEnvelope, headerLength, parseEnvelope } from '../src/value/envelope.ts'

const CODE = fc.constantFrom(...Object.values(CODES), IDENTITY_CODE)

/** The slow twin of `encodeEnvelope`: docs/format.md, section 5, with the varints of multiformats. */
function encodeSlowly (code: number, size: number, payload: Uint8Array): Uint8Array {
  const head = [code, size].map(value => varint.encodeTo(value, new Uint8Array(varint.encodingLength(value))))

  return Buffer.concat([...head, payload])
}

describe('an envelope', () => {
  it('has the bytes that docs/format.md specifies', () => {
    const bytes = encodeEnvelope({ code: CODES.zstd, size: 300, payload: Uint8Array.of(1, 2, 3) })

    expect(Buffer.from(bytes).toString('hex')).toBe('85b4fd01ac02010203')
  })

  it('is two varints and the payload', () => {
    fc.assert(fc.property(CODE, fc.nat(2 ** 31 - 1), fc.uint8Array(), (code, size, payload) => {
      const bytes = encodeEnvelope({ code, size, payload })

      expect(Buffer.from(bytes).equals(encodeSlowly(code, size, payload))).toBe(true)
      expect(bytes.byteLength).toBe(headerLength(size) + payload.byteLength)
    }))
  })

  it('is parsed into the code, size and payload that were encoded', () => {
    fc.assert(fc.property(CODE, fc.maxSafeNat().map(size => size % 2 ** 49), fc.uint8Array(), (code, size, payload) => {
      const bytes = encodeEnvelope({ code, size, payload })

      expect(beginsLike(bytes)).toBe('envelope')
      expect(parseEnvelope(bytes)).toEqual({ code, size, payload })
    }))
  })

  it('has only one encoding: parsed bytes encode to the same bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), tail => {
      const bytes = Buffer.concat([Uint8Array.of(0x85, 0xb4, 0xfd, 0x01), tail])
      const parsed = parseEnvelope(bytes)

      expect(parsed == null || Buffer.from(encodeEnvelope(parsed)).equals(bytes)).toBe(true)
    }))
  })

  it.each(
    Array.from({ length: 16 }, (_, i) => 0x3f5a00 + i)
  )('is recognized by marker code %i, and as cut short within it', code => {
    const bytes = encodeSlowly(code, 1, new Uint8Array(1))

    expect(beginsLike(bytes)).toBe('envelope')

    for (let length = 0; length < 4; length++) {
      expect(beginsLike(bytes.subarray(0, length))).toBe('cut-short')
    }
  })

  it.each([0x3f59ff, 0x3f5a10, 0, 0x70, 0x7f5a05])('is not recognized by code %i', code => {
    expect(beginsLike(encodeSlowly(code, 1, new Uint8Array(8)))).toBe('block')
  })

  it.each([
    ['no length', '85b4fd01'],
    ['a length cut short', '85b4fd0180'],
    ['a length that is not in its shortest form', '85b4fd018000'],
    ['a length of 8 bytes', '85b4fd01ffffffffffffff01']
  ])('is not parsed with %s', (_, hex) => {
    expect(parseEnvelope(Buffer.from(hex, 'hex'))).toBeUndefined()
  })
})
