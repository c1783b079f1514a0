import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { appendHeader, readHeader } from '../src/format/header.ts'
import { bytesField, varintField } from '../src/format/protobuf.ts'
import { noise, random } from './fixtures.ts'
import type { Header, HeaderContext } from '../src/format/header.ts'

const KIB = 1024
const CID_0 = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn').toV1()
const ZSTD = 0x3f5a05
const HEADER: Header = { codec: ZSTD, size: 200_000, frameSize: 64 * KIB, frameLengths: [1000, 300, 70_000, 1] }
const CONTEXT: HeaderContext = { cid: CID_0, marker: ZSTD, streamSize: 71_301 }
const UNIXFS = Uint8Array.from(varintField(1, 2))

/** A UnixFS message with a header made of these fields. */
function withFields (...fields: Array<number[] | Uint8Array>): Uint8Array {
  return Buffer.concat([UNIXFS, bytesField(1445, Buffer.concat(fields.map(field => Uint8Array.from(field))))])
}

const VERSION = varintField(1, 1)
const CODEC = varintField(2, ZSTD)
const SIZE = varintField(3, 1000)
const FRAME_SIZE = varintField(4, 64 * KIB)
const LENGTHS = bytesField(5, Uint8Array.of(100))

function expectRule (unixfs: Uint8Array, rule: string, context: Partial<HeaderContext> = {}): void {
  expect(() => readHeader(unixfs, { ...CONTEXT, streamSize: 1000, ...context }))
    .toThrow(expect.objectContaining({ name: 'InvalidHeaderError', rule, cid: CID_0 }))
}

describe('a header', () => {
  it('reads back as it was written', () => {
    expect(readHeader(appendHeader(UNIXFS, HEADER), CONTEXT)).toEqual(HEADER)
  })

  it('reads back with its content CID', () => {
    const header = { ...HEADER, contentCid: CID_0 }
    expect(readHeader(appendHeader(UNIXFS, header), CONTEXT)?.contentCid?.toString()).toBe(CID_0.toString())
  })

  it('holds sizes above 2^32', () => {
    const frameSize = 16 * KIB * KIB
    const size = 2 ** 40
    const header = { codec: ZSTD, size, frameSize, frameLengths: Array.from({ length: size / frameSize }, () => 5) }
    expect(readHeader(appendHeader(UNIXFS, header), { ...CONTEXT, streamSize: size })).toEqual(header)
  })

  it('has the bytes of docs/format.md, section 3', () => {
    const bytes = appendHeader(
      new Uint8Array(0),
      { codec: ZSTD, size: 1000, frameSize: 64 * KIB, frameLengths: [100, 300] }
    )
    // field 1445: version 1, codec 0x3f5a05, size 1000, frameSize 65536, lengths 100 and 300
    expect(Buffer.from(bytes).toString('hex')).toBe(
      `aa5a${'13'}${'0801'}${'1085b4fd01'}${'18e807'}${'20808004'}${'2a0364ac02'}`
    )
  })

  it('is missing in an ordinary file', () => {
    expect(readHeader(UNIXFS, CONTEXT)).toBeUndefined()
  })

  it('may hold unknown fields', () => {
    expect(readHeader(
      withFields(VERSION, CODEC, SIZE, FRAME_SIZE, LENGTHS, varintField(99, 1), varintField(99, 2)),
      { ...CONTEXT, streamSize: 1000 }
    ))
      .toMatchObject({ size: 1000 })
  })
})

describe('readHeader', () => {
  it('refuses another version, or none', () => {
    expectRule(withFields(varintField(1, 2), CODEC, SIZE, FRAME_SIZE, LENGTHS), 'version')
    expectRule(withFields(CODEC, SIZE, FRAME_SIZE, LENGTHS), 'version')
  })

  it('refuses a codec that differs from the marker of the CID', () => {
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE, LENGTHS), 'codec', { marker: 0x3f5a01 })
  })

  it('refuses a codec that is not part of the format', () => {
    expectRule(withFields(VERSION, varintField(2, 0x3f5a0f), SIZE, FRAME_SIZE, LENGTHS), 'codec', { marker: undefined })
  })

  it('refuses a number of frames that does not match the size', () => {
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE, bytesField(5, Uint8Array.of(1, 2))), 'frame-count')
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE), 'frame-count')
    expectRule(withFields(VERSION, CODEC, varintField(3, 2 ** 53 - 1), FRAME_SIZE, LENGTHS), 'frame-count')
    expectRule(withFields(VERSION, CODEC, FRAME_SIZE, LENGTHS), 'frame-count')
  })

  it('refuses a frame without bytes', () => {
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE, bytesField(5, Uint8Array.of(0))), 'frame-length')
  })

  it('refuses a frame that is longer than any codec writes', () => {
    expectRule(
      withFields(VERSION, CODEC, SIZE, FRAME_SIZE, bytesField(5, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f))),
      'frame-length',
      { streamSize: 2 ** 40 }
    )
  })

  it('refuses frames that are longer in total than the stream', () => {
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE, LENGTHS), 'total-length', { streamSize: 99 })
  })

  it.each([0, 1, 64 * KIB - 1, 16 * KIB * KIB + 1, 2 ** 32])('refuses a frame size of %d bytes', (frameSize) => {
    expectRule(withFields(VERSION, CODEC, SIZE, varintField(4, frameSize), LENGTHS), 'frame-size')
  })

  it('refuses a dictionary', () => {
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE, LENGTHS, bytesField(7, new Uint8Array(0))), 'dictionary')
  })

  it('refuses two headers, and a duplicate field', () => {
    const one = withFields(VERSION, CODEC, SIZE, FRAME_SIZE, LENGTHS)
    expectRule(Buffer.concat([one, one]), 'encoding')
    expectRule(withFields(VERSION, CODEC, SIZE, SIZE, FRAME_SIZE, LENGTHS), 'encoding')
  })

  it('refuses a field of the wrong type', () => {
    expectRule(withFields(bytesField(1, Uint8Array.of(1)), CODEC, SIZE, FRAME_SIZE, LENGTHS), 'encoding')
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE, varintField(5, 100)), 'encoding')
    expectRule(Buffer.concat([UNIXFS, Uint8Array.from(varintField(1445, 1))]), 'encoding')
  })

  it('refuses numbers that are too large, and an invalid content CID', () => {
    expectRule(withFields(VERSION, CODEC, [0x18, ...Array<number>(9).fill(0xff), 1], FRAME_SIZE, LENGTHS), 'encoding')
    expectRule(withFields(VERSION, CODEC, [0x18, ...Array<number>(11).fill(0x80), 1], FRAME_SIZE, LENGTHS), 'encoding')
    expectRule(withFields(VERSION, CODEC, SIZE, FRAME_SIZE, LENGTHS, bytesField(6, Uint8Array.of(1, 2, 3))), 'encoding')
  })

  it('refuses every truncated header', () => {
    const whole = appendHeader(UNIXFS, HEADER)

    for (let length = UNIXFS.byteLength + 1; length < whole.byteLength; length++) {
      expectRule(whole.subarray(0, length), 'encoding')
    }
  })

  it('accepts random bytes or refuses them with InvalidHeaderError', () => {
    const next = random(3)

    for (let seed = 1; seed < 2000; seed++) {
      const message = seed % 2 === 0 ? appendHeader(UNIXFS, HEADER) : withFields(VERSION, noise(next() % 40, seed))
      message[next() % message.byteLength] ^= 1 << next() % 8

      try {
        readHeader(message, CONTEXT)
      } catch (err) {
        expect(err).toMatchObject({ name: 'InvalidHeaderError' })
      }
    }
  })
})
