import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { bytesField, varint, varintField } from '../src/format/protobuf.ts'
import { readHeader } from '../src/format/read-header.ts'
import { appendHeader, noise, random } from './fixtures.ts'
import type { HeaderContext } from '../src/format/check-header.ts'
import type { Header } from '../src/format/header.ts'

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
    expectRule(withFields(varintField(1, 3), CODEC, SIZE, FRAME_SIZE, LENGTHS), 'version')
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

/** A packed field. */
function packed (field: number, ...values: number[]): Uint8Array {
  return bytesField(field, Uint8Array.from(values.flatMap(varint)))
}

/** The version with which a header is written. */
function versionIn (header: Header): number {
  return appendHeader(new Uint8Array(0), header)[4]
}

describe('a header of version 2', () => {
  const VERSION_2 = varintField(1, 2)
  const BASED: Header = {
    ...HEADER,
    regions: [
      { offset: 0, length: 100_000 },
      { offset: 0, length: 0 },
      { offset: 2 ** 40, length: 8 },
      { offset: 5, length: 70_000 }
    ]
  }
  /** The stream is the frames, 8 bytes, and a base of a million. */
  const BASED_CONTEXT: HeaderContext = { ...CONTEXT, streamSize: 71_301 + 8 + 1_000_000, lastLinkSize: 1_000_000 }
  it('reads back with regions, and with frame sizes', () => {
    const sized = { ...HEADER, frameSize: 128 * KIB, frameSizes: [64 * KIB, 65_000 + KIB, 68_000, 440] }
    const all = { ...sized, size: 200_000, regions: BASED.regions, contentCid: CID_0 }
    sized.frameSizes[3] = 200_000 - 64 * KIB - 66_024 - 68_000
    expect(readHeader(appendHeader(UNIXFS, BASED), BASED_CONTEXT)).toEqual(BASED)
    expect(readHeader(appendHeader(UNIXFS, sized), CONTEXT)).toEqual(sized)
    expect(readHeader(appendHeader(UNIXFS, all as Header), BASED_CONTEXT)).toMatchObject({ regions: BASED.regions })
  })

  it('is written only if version 1 cannot say it', () => {
    expect(versionIn({ ...HEADER, frameLengths: [1] })).toBe(1)
    expect(versionIn({ ...HEADER, frameLengths: [1], regions: [{ offset: 0, length: 0 }] })).toBe(2)
  })

  it('has the bytes of docs/format.md, section 6', () => {
    const bytes = appendHeader(new Uint8Array(0), {
      codec: ZSTD,
      size: 70_000,
      frameSize: 64 * KIB,
      frameLengths: [100, 300],
      frameSizes: [65_536, 4464],
      regions: [{ offset: 0, length: 0 }, { offset: 300, length: 8 }]
    })
    // version 2, codec, size, frameSize, lengths 100 and 300, sizes 65536 and 4464, regions (0, 0) and (300, 8)
    expect(Buffer.from(bytes).toString('hex')).toBe(
      'aa5a2208021085b4fd0118f0a204208080042a0364ac024205808004f02252050000ac0208'
    )
  })

  it('refuses fields that it does not know and must', () => {
    for (const field of [14, 31]) {
      expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, varintField(field, 1)), 'version')
    }

    expect(readHeader(
      withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, varintField(32, 1), varintField(32, 1)),
      { ...CONTEXT, streamSize: 1000 }
    )).toMatchObject({ size: 1000 })
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(8, 1000), packed(8, 1000)), 'encoding')
  })

  it('skips its fields in version 1', () => {
    const header = readHeader(
      withFields(VERSION, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(8, 5), packed(9, 1), packed(10, 1)),
      { ...CONTEXT, streamSize: 1000 }
    )
    expect(header).toEqual({ codec: ZSTD, size: 1000, frameSize: 64 * KIB, frameLengths: [100] })
  })

  it.each([
    ['another number', [500, 500]],
    ['another total', [999]],
    ['an empty frame', [0]]
  ])('refuses frame sizes with %s', (_, sizes) => {
    const rule = sizes.length === 1 ? 'frame-size' : 'frame-count'
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(8, ...sizes)), rule)
  })

  it('refuses small frames before the last', () => {
    const lengths = packed(5, 10, 10)
    const size = varintField(3, 64 * KIB)
    expectRule(withFields(VERSION_2, CODEC, size, FRAME_SIZE, lengths, packed(8, 1, 64 * KIB - 1)), 'frame-size')
    expectRule(withFields(VERSION_2, CODEC, size, FRAME_SIZE, lengths, packed(8, 64 * KIB + 1, 1)), 'frame-size')
  })

  it('reads back with filters', () => {
    const filters = [{ kind: 'shuffle', width: 4 }, { kind: 'delta', width: 1 }] as const

    expect(readHeader(appendHeader(UNIXFS, { ...HEADER, filters }), CONTEXT)).toEqual({ ...HEADER, filters })
    expect(versionIn({ ...HEADER, filters })).toBe(2)
    // field 11: 0x204 and 0x101
    expect(Buffer.from(appendHeader(UNIXFS, { ...HEADER, filters })).toString('hex')).toContain('5a0484048102')
  })

  it('reads back with groups instead of frames, and has the bytes of docs/format.md for them', () => {
    const groups = [{ length: 5000, size: 4096 * 64 * KIB }, { length: 300, size: 70_000 }]
    const size = groups[0].size + groups[1].size
    const header = { codec: ZSTD, size, frameSize: 64 * KIB, frameLengths: [], table: { frames: 4098, groups } }
    const bytes = appendHeader(new Uint8Array(0), header)
    // 8 bytes for each of 4098 frames, and 17
    const context = { ...CONTEXT, streamSize: 5300 + 4098 * 8 + 17 }

    expect(readHeader(bytes, context)).toEqual(header)
    // version 2, codec, size, frameSize, groups (5000, 2^28) and (300, 70000)
    expect(Buffer.from(bytes).toString('hex')).toBe(
      'aa5a1f08021085b4fd0118f0a284800120808004620c88278080808001ac02f0a204'
    )
    expectRule(bytes, 'groups', { streamSize: context.streamSize + 1 })
    expectRule(bytes, 'groups', { streamSize: context.streamSize + 8 })
    expectRule(bytes, 'groups', { streamSize: 5300 })
  })

  /** Two groups of frames that refer back to a base of a million stored bytes. */
  const GROUPED: Header = {
    codec: ZSTD,
    size: 4096 * 64 * KIB + 70_000,
    frameSize: 64 * KIB,
    frameLengths: [],
    table: {
      frames: 4098,
      groups: [{ length: 5000, size: 4096 * 64 * KIB }, { length: 300, size: 70_000 }],
      regions: [{ size: 70_300, largest: 70_000 }, { size: 0, largest: 0 }]
    }
  }
  const GROUPED_CONTEXT = { ...CONTEXT, streamSize: 5300 + 8 + 4098 * 20 + 8 + 1_000_000, lastLinkSize: 1_000_000 }

  it('reads back with the regions of groups, and has the bytes of docs/format.md for them', () => {
    const bytes = appendHeader(new Uint8Array(0), GROUPED)
    const { streamSize } = GROUPED_CONTEXT

    expect(readHeader(bytes, GROUPED_CONTEXT)).toEqual(GROUPED)
    // version 2, codec, size, frameSize, groups (5000, 2^28) and (300, 70000), regions (70300, 70000) and (0, 0)
    expect(Buffer.from(bytes).toString('hex')).toBe(
      'aa5a2908021085b4fd0118f0a284800120808004620c88278080808001ac02f0a2046a089ca504f0a2040000'
    )

    for (const other of [streamSize + 1, streamSize + 20, 5300 + 1_000_000, 0]) {
      expectRule(bytes, 'groups', { ...GROUPED_CONTEXT, streamSize: other })
    }

    expectRule(bytes, 'base', { ...GROUPED_CONTEXT, streamSize: streamSize - 1_000_000, lastLinkSize: 0 })
    expectRule(bytes, 'base', { streamSize: streamSize - 1_000_000 + 2 ** 32, lastLinkSize: 2 ** 32 })
  })

  it('refuses the regions of groups that it does not have, and half of them', () => {
    const groups = packed(12, 100, 1000)
    const based = { streamSize: 100 + 8 + 2 * 20 + 8 + 1000, lastLinkSize: 1000 }

    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, packed(13, 8, 8)), 'groups', based)
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(13, 8, 8)), 'groups', based)
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, groups, packed(13, 8)), 'regions', based)
    const lz4 = withFields(VERSION_2, varintField(2, 0x3f5a02), varintField(3, 64 * KIB + 1), FRAME_SIZE,
      packed(12, 100, 64 * KIB + 1), packed(13, 8, 8))
    expectRule(lz4, 'base', { ...based, marker: 0x3f5a02 })
  })

  it('is accepted or refused with InvalidHeaderError, whatever was changed in it', () => {
    const next = random(4)

    for (let round = 0; round < 3000; round++) {
      const message = Buffer.from(appendHeader(UNIXFS, GROUPED))

      for (let changes = 0; changes <= round % 3; changes++) {
        message[(next() >>> 0) % message.byteLength] ^= 1 << next() % 8
      }

      try {
        readHeader(message, GROUPED_CONTEXT)
      } catch (err) {
        expect(err).toMatchObject({ name: 'InvalidHeaderError' })
      }
    }
  })

  it('refuses groups beside frames, half a group, and a seek table of one frame, or of too many', () => {
    const groups = packed(12, 100, 1000)
    const size = varintField(3, 64 * KIB + 1)

    for (const fields of [[LENGTHS], [packed(8, 1000)], [packed(10, 0, 100)]]) {
      expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, ...fields, groups), 'groups')
    }

    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, packed(12, 100)), 'groups')
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, packed(12)), 'groups')
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, groups), 'groups', { streamSize: 100 + 8 + 17 })
    expectRule(withFields(VERSION_2, CODEC, size, FRAME_SIZE, packed(12, 100, 64 * KIB + 1)), 'groups', {
      streamSize: 100 + 8 * (2 ** 27 + 1) + 17
    })
    expect(readHeader(withFields(VERSION_2, CODEC, size, FRAME_SIZE, packed(12, 100, 64 * KIB + 1)), {
      ...CONTEXT, streamSize: 100 + 8 * 2 + 17
    })).toMatchObject({ table: { frames: 2 } })
  })

  it.each([
    ['none', []],
    ['unknown ones', [0x201]],
    ['an unknown one among others', [0x102, 5]],
    ['one twice', [0x102, 0x102]],
    ['more than four', [0x101, 0x102, 0x104, 0x108, 0x202]]
  ])('refuses %s of filters', (_, codes) => {
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(11, ...codes)), 'filters')
  })

  it('refuses filters of frames that are not sealed', () => {
    expectRule(withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(9, 0x204)), 'filters')
  })

  it.each([
    ['without a length', [5]],
    ['for more frames than there are', [0, 8, 0, 8]],
    ['of fewer than 8 bytes', [0, 7]],
    ['of more than 16 MiB', [0, 16 * KIB * KIB + 1]],
    ['that are empty, but somewhere', [1, 0]],
    ['beyond 2^53', [2 ** 53 - 2, 100]],
    ['of more bytes than the size of the file allows', [0, 1_052_577]]
  ])('refuses regions %s', (_, numbers) => {
    expectRule(
      withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(10, ...numbers)),
      'regions',
      { streamSize: 100 + 8 + 1000, lastLinkSize: 1000 }
    )
  })

  it('refuses a base that is not the rest of the stream', () => {
    const header = withFields(VERSION_2, CODEC, SIZE, FRAME_SIZE, LENGTHS, packed(10, 0, 100))

    expect(readHeader(header, { ...CONTEXT, streamSize: 1108, lastLinkSize: 1000 })).toBeDefined()
    expectRule(header, 'base', { streamSize: 1107, lastLinkSize: 1000 })
    expectRule(header, 'base', { streamSize: 1109, lastLinkSize: 1000 })
    expectRule(header, 'base', { streamSize: 108, lastLinkSize: 0 })
    expectRule(header, 'base', { streamSize: 108 })
    expectRule(header, 'base', { streamSize: 2 ** 32 + 108, lastLinkSize: 2 ** 32 })
  })

  it('refuses a base for a codec that cannot use one', () => {
    const lz4 = 0x3f5a02
    const header = withFields(VERSION_2, varintField(2, lz4), SIZE, FRAME_SIZE, LENGTHS, packed(10, 0, 100))
    expectRule(header, 'base', { marker: lz4, streamSize: 1108, lastLinkSize: 1000 })
  })
})
