import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_FRAME_SIZE } from '../src/constants.ts'
import { decodeZstdFrame } from '../src/format/zstd/zstd-decode.ts'
import { concat, fromBase64, noise, same, text } from './fixtures.ts'
import {
  backward,
  block,
  bytes,
  COMPRESSED,
  compressed,
  compressedTree,
  description,
  directTree,
  fourStreams,
  frame,
  huffman,
  notLast,
  PREDEFINED,
  raw,
  RLE,
  sequences,
  stored,
  TREELESS,
  uint,
  weightStream,
  windowFrame
} from './zstd-fixtures.ts'
import { anySequences } from './zstd-twin.ts'
import type { Field, Sequence, Table } from './zstd-fixtures.ts'

const CORRUPT = expect.objectContaining({ name: 'CorruptFrameError', codec: 'zstd' })
const NOTHING = bytes()
const REST = text(100)
const MAX_BLOCK = 128 * 1024

const SQUARES = Array.from({ length: 90 }, (_, i) => `${i + 1} times ${i + 1} is ${(i + 1) ** 2}\n`).join('')

/** Frames that zstd 1.5.4 made, and their content. */
const VECTORS: ReadonlyArray<[command: string, frame: string, content: string]> = [
  [
    'for i in $(seq 90); do echo "$i times $i is $((i*i))"; done > q.txt; zstd -c -19 q.txt',
    'KLUv/WTLBX0OAIbvWxLApdABQLv6f8GWMskkEytUOTBWAFQAVADd6e+76afTncZ1FzpS6Vxu29Fm2UU4Gh0vgYFzpVhcqBKJ+/Q8' +
      'N+1wuAea5sIpFM5mWY4lSS6CweBYIcyvWjDRLv+mMzvtBZG5HQUCAwEFAgABgwEBAyEtlxeiJZN3sve9aXQ83iXQthdcFIvnE+t6' +
      'rJOmF3GGw2OHQYLMNktKFi4kIdlDeblsWo6M7ENaLAsVFBGZG6xUxgcKZREhJGR0hYbORdXqQolKATw5PHzuXa8vlE2n7yP+/03r' +
      '+XwPYd9feBC5fHZJ348l4flFXOLxsSxhwswXqalZcIWGZhfK57NpyMzMzlCPZyGqMjJzUDudMV4OZxHTmJgx3ODgOYtgRYgwNlCo' +
      'ULOJqqoWPkRFtQeh12vT0tTUPkEu10LVpaTm0lut8XMWaxF+VNToPlCgueJFRQsNQ0S0E83ptOlnaGgnj8m0UBkhobk4pdLoGBJp' +
      'EcFBQQuAsqgRQHRiiOT7BuDnEIDRB6UQQgghBCGEEEIIIQghhBBCCEEIIYQQQghCCCGEEEIQQgghhCgnuHTBddu2bdu2bdtm27Zt' +
      '286WXMklLXCta13rbjuuZQWsEyA+VQHdA+5M',
    SQUARES
  ],
  [
    'zstd -c -1 --zstd=wlog=10 q.txt',
    'KLUv/UQAywWECQBWVzESsBWkDQSBpWGgJJGUtFPqknM6MAApACoA/O2ybsuZ6ZQVEgy5402CIULwQqCRBEPMWJZgSBXt50kwhIiX' +
      'YIjNSjCkEgAEjIA0F8HmOdi0YDbLZtNC2TyXzYvb7G9z5jZr1PKmlifc0soty1Xa/eUZUQMW7LOiPWdsPmddJeL/EvGMSkQ7l4hl' +
      'l4hWLRFPTIl4T4lYOyLOHBF7YTMjIFW0nqt4I1zFT3AVO+YqzpSr2Ll/fsg/b+yf1vpneVyn0f3nXRCdD2SoIXRCiNek2Q1w46QD' +
      'EIJCD7L/BoFkYGMcvwx3ScYQ8dHv0iAPOA4ahykOIAYOgxAGvGO5Hd7fYXW9vRxM4PyLnpOHdHKOb/qyMWqa8Ettx6aL5d9HrhT+' +
      'iUVtAYVTE4FjfXqQkhOr/QYAR1AiIAAfACIAZ0dm/AWZsQ5kxhkjM1acqngjquLdVEWjUhXLQyUBQECBF60Q2E+FwJl7CKyFm/G2' +
      'm/HEb0YruhnLvhnt5mYMJgRrZUJw5iYEe1sIvBgLgeerEGghVAgsW4VAC68QeKYKAZypkGDI3LG+IAT/EITgWQUhaEdBCJYdhKDV' +
      'BCF4QpgQvENGEABU91LdS3Uv1b1U91LdS3Uv1b1U91LdS3Uv1b1U91LdS3Uv1b1U91LdS3Uv1b1U91LdS3Uv1b1U91LdS3Uv1b1U' +
      '91LdS3Uv1b1U91LdS+XSAt0D7kw=',
    SQUARES
  ],
  [
    'head -c 70000 /dev/zero | zstd -c -19 --stream-size=70000',
    'KLUv/aRwEQEATQAACAABAGwRORAC+GXrXg==',
    '\0'.repeat(70_000)
  ],
  ['printf a > a.txt; zstd -c a.txt', 'KLUv/SQBCQAAYVtujKk=', 'a'],
  ['printf "" > e.txt; zstd -c e.txt', 'KLUv/SQAAQAAmenYUQ==', '']
]

/** The bytes of an ASCII string. */
function ascii (text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A frame of these blocks, and of {@link REST} so that no block is longer than the window. */
function around (size: number, ...blocks: readonly Uint8Array[]): Uint8Array {
  return windowFrame(size + REST.byteLength, 0, ...blocks.map(notLast), stored(REST))
}

function reads (content: Uint8Array, ...blocks: readonly Uint8Array[]): void {
  const whole = concat(content, REST)
  expect(same(decodeZstdFrame(around(content.byteLength, ...blocks), whole.byteLength), whole)).toBe(true)
}

function refuses (frame: Uint8Array, size: number): void {
  expect(() => decodeZstdFrame(frame, size)).toThrow(CORRUPT)
}

function refusesBlocks (size: number, ...blocks: readonly Uint8Array[]): void {
  refuses(around(size, ...blocks), size + REST.byteLength)
}

/** Sequences with the same codes, which take no bits, and with different extra bits. */
function sameCodes (
  count: number,
  literals: number,
  offset: number,
  match: number,
  ...fields: readonly Field[]
): Uint8Array {
  return concat(bytes(count, 0x54, literals, offset, match), backward(...fields))
}

/** A block of one literal that a match repeats three times: table modes, tables, and initial states. */
function withTables (modes: number, tables: Uint8Array, ...states: readonly Field[]): Uint8Array {
  return compressed(raw(ascii('a')), bytes(1, modes), tables, backward(...states))
}

/** Literals in a Huffman code of two symbols, 0 and 1, of a bit each. */
const bits = (...values: readonly number[]): Uint8Array => backward(...values.map(value => [value, 1] as const))
const TWO = directTree(1)
const NO_SEQUENCES = bytes(0)

/** A tree with two codes of `depth` bits, and one code of each shorter length. */
function deepTree (depth: number): Uint8Array {
  return directTree(1, ...Array.from({ length: depth - 1 }, (_, i) => i + 1))
}

describe('the Zstandard decoder', () => {
  it.each(VECTORS)('reads a frame made by: %s', (_, base64, content) => {
    expect(new TextDecoder().decode(decodeZstdFrame(fromBase64(base64), content.length))).toBe(content)
  })

  it.each(VECTORS)('refuses a frame cut short, and never misreads one with a flipped bit: %s', (_, base64, content) => {
    const whole = fromBase64(base64)

    for (let length = 0; length < whole.byteLength; length++) {
      refuses(whole.subarray(0, length), content.length)
    }

    // a few bits change nothing, such as those of a window that is large enough. The checksum catches all others
    for (let bit = 0; bit < whole.byteLength * 8; bit++) {
      const flipped = whole.with(bit >> 3, whole[bit >> 3] ^ 1 << (bit & 7))

      try {
        expect(new TextDecoder().decode(decodeZstdFrame(flipped, content.length)), `bit ${bit}`).toBe(content)
      } catch (err) {
        expect(err).toMatchObject({ name: 'CorruptFrameError', codec: 'zstd' })
      }
    }
  })

  it('reads stored, RLE and empty blocks', () => {
    reads(
      ascii('abccccc'),
      stored(NOTHING),
      stored(ascii('ab')),
      block(1, 5, ascii('c')),
      block(1, 0, ascii('x')),
      compressed(raw(NOTHING), NO_SEQUENCES)
    )
    expect(decodeZstdFrame(frame(0, stored(NOTHING)), 0).byteLength).toBe(0)
    expect(decodeZstdFrame(frame(0, block(1, 0, ascii('x'))), 0).byteLength).toBe(0)
  })

  it('reads blocks of the largest size', () => {
    const content = concat(noise(MAX_BLOCK), new Uint8Array(MAX_BLOCK).fill(97), new Uint8Array(MAX_BLOCK).fill(98))
    const long = frame(
      content.byteLength,
      stored(content.subarray(0, MAX_BLOCK), false),
      block(1, MAX_BLOCK, ascii('a'), false),
      compressed(uint(RLE + (3 << 2) + MAX_BLOCK * 16, 3), ascii('b'), NO_SEQUENCES)
    )

    expect(same(decodeZstdFrame(long, content.byteLength), content)).toBe(true)
  })

  it('reads a frame from a part of a larger buffer', () => {
    const [[, base64, content]] = VECTORS
    const whole = fromBase64(base64)
    const part = concat(noise(13), whole, noise(7)).subarray(13, 13 + whole.byteLength)

    expect(new TextDecoder().decode(decodeZstdFrame(part, content.length))).toBe(content)
  })

  it.each([
    ['larger than 128 KiB', frame(MAX_BLOCK + 1, stored(noise(MAX_BLOCK + 1))), MAX_BLOCK + 1],
    [
      'of one repeated byte, larger than 128 KiB',
      frame(MAX_BLOCK + 1, block(1, MAX_BLOCK + 1, ascii('a'))),
      MAX_BLOCK + 1
    ],
    ['larger than its window', windowFrame(1025, 0, stored(noise(1025))), 1025],
    [
      'that decompresses to more than its window',
      windowFrame(1025, 0, compressed(raw(ascii('a')), sameCodes(1, 1, 0, 46, [1024 - 515 - 512, 9]))),
      1025
    ],
    [
      'with more literals than a block may have',
      frame(MAX_BLOCK + 1, compressed(uint(RLE + (3 << 2) + (MAX_BLOCK + 1) * 16, 3), ascii('b'), NO_SEQUENCES)),
      MAX_BLOCK + 1
    ],
    [
      'with a match longer than a block',
      frame(131_075, compressed(raw(ascii('a')), sameCodes(1, 1, 0, 52, [0xffff, 16]))),
      131_075
    ]
  ])('refuses a block %s', (_, frame, size) => {
    refuses(frame, size)
  })

  it('refuses a wrong checksum for content of any length', () => {
    for (const [, base64, content] of VECTORS) {
      for (let i = 1; i <= 4; i++) {
        const whole = fromBase64(base64)
        whole[whole.byteLength - i] ^= 1
        refuses(whole, content.length)
      }
    }
  })

  it('needs no offsets above 16 MiB, since no frame is larger', () => {
    // zstd-execute.ts relies on this
    expect(MAX_FRAME_SIZE).toBeLessThanOrEqual(2 ** 24)
  })
})

describe('the literals of a block', () => {
  it('are read raw and as one repeated byte, with lengths of 5, 12 and 20 bits', () => {
    // type, format and length
    const headers = [uint(3 << 3, 1), uint(1 << 2 | 3 << 4, 2), uint(3 << 2 | 3 << 4, 3)]

    for (const header of headers) {
      reads(ascii('abc'), compressed(header, ascii('abc'), NO_SEQUENCES))
      reads(ascii('aaa'), compressed(header.with(0, header[0] | RLE), ascii('a'), NO_SEQUENCES))
    }

    // here the second bit of the format belongs to the length
    reads(ascii('a'.repeat(31)), compressed(uint(31 << 3 | RLE, 1), ascii('a'), NO_SEQUENCES))
    reads(ascii('a'.repeat(1000)), compressed(uint(1000 * 16 | 1 << 2 | RLE, 2), ascii('a'), NO_SEQUENCES))
  })

  it('are read in one stream', () => {
    for (let length = 0; length < 20; length++) {
      const content = Uint8Array.from({ length }, (_, i) => i * 5 & 1)
      reads(content, compressed(huffman(COMPRESSED, 0, length, TWO, bits(...content)), NO_SEQUENCES))
    }
  })

  it('are read in four streams, with lengths of 10, 14 and 18 bits', () => {
    for (const format of [1, 2, 3]) {
      for (let length = 6; length < 40; length++) {
        const content = Uint8Array.from({ length }, (_, i) => i * 5 >> 2 & 1)
        const quarter = Math.ceil(length / 4)
        const streams = [0, 1, 2, 3].map(i => bits(...content.subarray(i * quarter, (i + 1) * quarter)))
        reads(content, compressed(huffman(COMPRESSED, format, length, TWO, fourStreams(...streams)), NO_SEQUENCES))
      }
    }
  })

  it('are read with the tree of an earlier block, even if no literals used it', () => {
    reads(bytes(0, 1, 1, 1, 0),
      compressed(huffman(COMPRESSED, 0, 2, TWO, bits(0, 1)), NO_SEQUENCES),
      compressed(raw(NOTHING), NO_SEQUENCES),
      compressed(huffman(TREELESS, 0, 3, bits(1, 1, 0)), NO_SEQUENCES))
    reads(bytes(1, 1, 0),
      compressed(huffman(COMPRESSED, 0, 0, TWO, bits()), NO_SEQUENCES),
      compressed(huffman(TREELESS, 0, 3, bits(1, 1, 0)), NO_SEQUENCES))
  })

  it('are read with codes of up to 11 bits', () => {
    for (let depth = 1; depth <= 11; depth++) {
      // the first two symbols have the longest codes, the last one has the code 1
      const stream = backward([0, depth], [1, depth], [1, 1])
      reads(bytes(0, 1, depth), compressed(huffman(COMPRESSED, 0, 3, deepTree(depth), stream), NO_SEQUENCES))
    }
  })

  it('are read with symbols that have no code, and with 256 symbols', () => {
    reads(bytes(5, 2, 5), compressed(huffman(COMPRESSED, 0, 3, directTree(0, 0, 1, 0, 0), bits(1, 0, 1)), NO_SEQUENCES))
    // 128 direct weights are the most that fit
    reads(
      bytes(0, 127),
      compressed(
        huffman(COMPRESSED, 0, 2, directTree(...Array<number>(127).fill(1)), backward([0, 7], [127, 7])),
        NO_SEQUENCES
      )
    )
    const tree = compressedTree(description(5, [1, 31]), weightStream([1, 31], Array<number>(255).fill(1)))
    reads(bytes(0, 255), compressed(huffman(COMPRESSED, 0, 2, tree, backward([0, 8], [255, 8])), NO_SEQUENCES))
  })

  it.each([
    ['if they are cut short', raw(ascii('abc')).subarray(0, -1)],
    ['if their one repeated byte is missing', uint(RLE + (3 << 3), 1)],
    ['if a raw header is cut short', raw(ascii('abc')).subarray(0, 2)],
    ['if they are missing', NOTHING],
    ['with a repeated tree that no block has defined', huffman(TREELESS, 0, 3, bits(0, 1, 0))],
    ['if a Huffman header is cut short', huffman(COMPRESSED, 3, 3, TWO, bits(0, 1, 0)).subarray(0, 4)],
    ['in a stream that is cut short', huffman(COMPRESSED, 0, 3, TWO, bits(0, 1, 0)).subarray(0, -1)],
    ['in a stream without an end mark', huffman(COMPRESSED, 0, 3, TWO, bytes(0))],
    ['in an empty stream', huffman(COMPRESSED, 0, 3, TWO)],
    ['in a stream of too few bits', huffman(COMPRESSED, 0, 3, TWO, bits(0, 1))],
    ['in a stream of far too few bits', huffman(COMPRESSED, 0, 100, TWO, bits(0, 1))],
    ['in a stream of too many bits', huffman(COMPRESSED, 0, 3, TWO, bits(0, 1, 0, 0))],
    ['in a stream of too many bytes', huffman(COMPRESSED, 0, 3, TWO, bits(0, 1, 0), bits(0, 1, 0))],
    [
      'in a stream that ends within its last code',
      huffman(COMPRESSED, 0, 3, deepTree(3), backward([1, 1], [1, 1], [0, 2]))
    ],
    [
      'in four streams if there are fewer than six',
      huffman(COMPRESSED, 1, 5, TWO, fourStreams(bits(0, 0), bits(0, 0), bits(0), bits()))
    ],
    ['in four streams without their lengths', huffman(COMPRESSED, 1, 8, TWO, bytes(1, 0, 1, 0, 1))],
    [
      'in four streams, the last one empty',
      huffman(COMPRESSED, 1, 6, TWO, fourStreams(bits(0, 0), bits(0, 0), bits(0, 0), NOTHING))
    ],
    [
      'in four streams, the second one empty',
      huffman(COMPRESSED, 1, 8, TWO, fourStreams(bits(0, 0), NOTHING, bits(0, 0), bits(0, 0)))
    ],
    [
      'in four streams whose stated lengths are too long',
      huffman(COMPRESSED, 1, 8, TWO, bytes(255, 255, 255, 255, 255, 255), bits(0, 0))
    ],
    ...[0, 1, 2, 3].flatMap(i => [1, 3].map((count): [string, Uint8Array] => [
      `in four streams, of which number ${i} has ${count} bits instead of 2`,
      huffman(
        COMPRESSED,
        1,
        8,
        TWO,
        fourStreams(
          ...Array.from({ length: 4 }, (_, number) => bits(...Array<number>(number === i ? count : 2).fill(0)))
        )
      )
    ]))
  ])('are refused %s', (_, literals) => {
    for (const size of [0, 3, 8]) {
      refusesBlocks(size, compressed(literals, NO_SEQUENCES))
      refusesBlocks(size, compressed(literals))
    }
  })

  it.each([
    ['that is cut short', directTree(...Array<number>(40).fill(1)).subarray(0, 5)],
    ['that is missing', NOTHING],
    ['without weights', bytes(127)],
    ['whose weights are all 0', directTree(0, 0)],
    ['whose weights leave more than one code', directTree(3, 1)],
    ['without a code of its full length', directTree(2)],
    ['without two codes of its full length', directTree(2, 2, 2)],
    ['with codes of 12 bits', deepTree(12)],
    ['with a weight of 12', directTree(12)],
    ['with a weight of 15', directTree(1, 15)],
    ['with no bytes for its weights', compressedTree()],
    ['with a table of accuracy 7', compressedTree(description(7, [64, 64]), weightStream([16, 16], [1, 1, 1]))],
    [
      'with a table of 13 symbols',
      compressedTree(
        description(5, [8, 16, ...Array<number>(10).fill(0), 8]),
        weightStream([8, 16, ...Array<number>(10).fill(0), 8], [1, 1, 1])
      )
    ],
    ['with a table but no weights', compressedTree(description(5, [16, 16]))],
    ['with a table but no end mark of its weights', compressedTree(description(5, [16, 16]), bytes(0))],
    [
      'with fewer bits of weights than two states need',
      compressedTree(description(5, [16, 16]), backward([0, 5], [0, 4]))
    ],
    ['with a table that is cut short', compressedTree(description(6, Array<number>(11).fill(5)).subarray(0, 4))],
    ['with endless weights', compressedTree(description(5, [0, 32]), backward([0, 5], [0, 5], [0, 20]))],
    ['with 256 weights', compressedTree(description(5, [1, 31]), weightStream([1, 31], Array<number>(256).fill(1)))]
  ])('are refused with a tree %s', (_, tree) => {
    for (const stream of [backward(), backward([0, 7]), backward([0, 12]), backward([0, 8])]) {
      refusesBlocks(1, compressed(huffman(COMPRESSED, 0, 1, tree, stream), NO_SEQUENCES))
      refusesBlocks(0, compressed(huffman(COMPRESSED, 0, 0, tree, stream), NO_SEQUENCES))
    }
  })
})

describe('the sequences of a block', () => {
  const a = raw(ascii('a'))
  /** A table of the codes 0 and 1. In the last state the code is 1, and one bit leads to the next state. */
  const half = description(5, [16, 16])

  it('are read, with literals after them', () => {
    reads(ascii('aaaa'), compressed(a, sameCodes(1, 1, 0, 0)))
    reads(ascii('aaaaz'), compressed(raw(ascii('az')), sameCodes(1, 1, 0, 0)))
    reads(ascii('aaaabbbb'), compressed(raw(ascii('ab')), sameCodes(2, 1, 2, 0, [0, 2], [0, 2])))
    reads(ascii('ab'), compressed(raw(ascii('ab')), bytes(128, 0)))
  })

  it.each([1, 127, 128, 255, 256, 300, 0x7eff, 0x7f00, 40_000])('are read if there are %d of them', (count) => {
    const list = Array.from<unknown, Sequence>({ length: count }, () => ({ literals: 0, offset: 4 + 3, match: 3 }))
    const size = 4 + 3 * count
    const whole = frame(
      size + REST.byteLength,
      stored(ascii('abcd'), false),
      notLast(compressed(raw(NOTHING), sequences(list))),
      stored(REST)
    )
    const content = concat(ascii('abcd'.repeat(count + 1).slice(0, size)), REST)

    expect(same(decodeZstdFrame(whole, content.byteLength), content)).toBe(true)
  })

  it('reuse the last three offsets', () => {
    const block = (list: Sequence[], literals: string): Uint8Array => compressed(raw(ascii(literals)), sequences(list))
    // the initial offsets are 1, 4 and 8
    reads(ascii('abcdefghhhh'), block([{ literals: 8, offset: 1, match: 3 }], 'abcdefgh'))
    reads(ascii('abcdefghefg'), block([{ literals: 8, offset: 2, match: 3 }], 'abcdefgh'))
    reads(ascii('abcdefghabc'), block([{ literals: 8, offset: 3, match: 3 }], 'abcdefgh'))
    // without literals, the codes mean the second offset, the third, and the first minus 1
    reads(ascii('abcdefghefg'), stored(ascii('abcdefgh')), block([{ literals: 0, offset: 1, match: 3 }], ''))
    reads(ascii('abcdefghabc'), stored(ascii('abcdefgh')), block([{ literals: 0, offset: 2, match: 3 }], ''))
    reads(
      ascii('abcdefghefgefg'),
      block([{ literals: 8, offset: 2, match: 3 }, { literals: 0, offset: 3, match: 3 }], 'abcdefgh')
    )
  })

  it('reuse tables of every kind', () => {
    const list = [{ literals: 1, offset: 1, match: 3 }]
    const described: Table = { accuracy: 5, probabilities: [16, 16] }

    for (
      const tables of [PREDEFINED, [described, described, described], [described, 'predefined', described]] as const
    ) {
      reads(ascii('aaaaaaaa'), compressed(a, sequences(list, tables)), compressed(a, sequences(list, tables, true)))
    }

    // blocks without sequences keep the tables
    reads(
      ascii('aaaaaaaa'),
      compressed(a, sameCodes(1, 1, 0, 0)),
      compressed(raw(NOTHING), NO_SEQUENCES),
      stored(NOTHING),
      compressed(a, bytes(1, 0xfc), backward())
    )
  })

  it('are read with tables of every accuracy, and of all symbols', () => {
    for (const accuracy of [5, 6, 7, 8, 9]) {
      const size = 2 ** accuracy
      reads(ascii('aaaa'), withTables(0x94, concat(description(accuracy, [0, size]), bytes(0, 0)), [0, accuracy]))
      reads(ascii('aaaa'), withTables(0x58, concat(bytes(1, 0), description(accuracy, [size])), [0, accuracy]))
    }

    for (const accuracy of [5, 6, 7, 8]) {
      reads(
        ascii('aaaa'),
        withTables(0x64, concat(bytes(1), description(accuracy, [2 ** accuracy]), bytes(0)), [0, accuracy])
      )
    }

    reads(
      ascii('aaaa'),
      withTables(0x94, concat(description(6, [0, 63, ...Array<number>(33).fill(0), -1]), bytes(0, 0)), [0, 6])
    )
    reads(
      ascii('aaaa'),
      withTables(0x64, concat(bytes(1), description(6, [63, ...Array<number>(30).fill(0), -1]), bytes(0)), [0, 6])
    )
    reads(
      ascii('aaaa'),
      withTables(0x58, concat(bytes(1, 0), description(6, [63, ...Array<number>(51).fill(0), -1])), [0, 6])
    )
    // only symbols with a probability of less than 1
    reads(ascii('aaaa'), withTables(0x58, concat(bytes(1, 0), description(5, Array<number>(32).fill(-1))), [31, 5]))
  })

  it.each([
    ['if their number is missing', a],
    ['if their number is cut short', concat(a, bytes(128))],
    ['if their number of three bytes is cut short', concat(a, bytes(255, 0))],
    ['without their tables', concat(a, bytes(1))],
    ['with reserved bits', concat(a, bytes(1, 0x55, 1, 0, 0), backward())],
    ['if there are none, but bytes follow', concat(a, bytes(0, 0))],
    ['if there are none, in two bytes, but bytes follow', concat(a, bytes(128, 0, 0))],
    ['with a literal length of code 36', concat(a, sameCodes(1, 36, 0, 0))],
    ['with an offset of code 32', concat(a, sameCodes(1, 1, 32, 0))],
    ['with a match length of code 53', concat(a, sameCodes(1, 1, 0, 53))],
    ['with a code that is missing', concat(a, bytes(1, 0x54, 1, 0))],
    ['with a repeated literal length table that no block has defined', concat(a, bytes(1, 0xd4, 0, 0), backward())],
    ['with a repeated offset table that no block has defined', concat(a, bytes(1, 0x74, 1, 0), backward())],
    ['with a repeated match length table that no block has defined', concat(a, bytes(1, 0x5c, 1, 0), backward())],
    [
      'with a table of literal lengths of accuracy 10',
      withTables(0x94, concat(description(10, [0, 1024]), bytes(0, 0)), [0, 10]).subarray(3)
    ],
    [
      'with a table of offsets of accuracy 9',
      withTables(0x64, concat(bytes(1), description(9, [512]), bytes(0)), [0, 9]).subarray(3)
    ],
    [
      'with a table of match lengths of accuracy 10',
      withTables(0x58, concat(bytes(1, 0), description(10, [1024])), [0, 10]).subarray(3)
    ],
    [
      'with a table of 37 literal lengths',
      withTables(
        0x94,
        concat(description(6, [0, 63, ...Array<number>(34).fill(0), -1]), bytes(0, 0)),
        [0, 6]
      ).subarray(3)
    ],
    [
      'with a table of 33 offsets',
      withTables(
        0x64,
        concat(bytes(1), description(6, [63, ...Array<number>(31).fill(0), -1]), bytes(0)),
        [0, 6]
      ).subarray(3)
    ],
    [
      'with a table of 54 match lengths',
      withTables(0x58, concat(bytes(1, 0), description(6, [63, ...Array<number>(52).fill(0), -1])), [0, 6]).subarray(3)
    ],
    ['with a table of endless symbols', withTables(0x94, new Uint8Array(200).fill(0xff).with(0, 0x10)).subarray(3)],
    ['with a table that is cut short', concat(a, bytes(1, 0x94), half.subarray(0, 1))],
    ['without a bit stream', concat(a, sameCodes(1, 1, 0, 0).subarray(0, -1))],
    ['in a bit stream without an end mark', concat(a, sameCodes(1, 1, 0, 0).with(5, 0))],
    ['with too many bits', concat(a, sameCodes(1, 1, 0, 0, [0, 1]))],
    ['with too many bytes', concat(a, sameCodes(1, 1, 0, 0, [0, 8]))],
    ['with too few bits for the states', withTables(0x94, concat(half, bytes(0, 0)), [0, 4]).subarray(3)],
    [
      'with too few bits for the next states',
      concat(raw(ascii('ab')), bytes(2, 0x94), half, bytes(0, 0), backward([31, 5]))
    ],
    ['with too few bits for an offset', concat(a, sameCodes(1, 1, 2, 0, [0, 1]))],
    ['with too few bits for a match length', concat(a, sameCodes(1, 1, 0, 43))],
    ['with too few bits for a literal length', concat(a, sameCodes(1, 16, 0, 0))],
    ['with more literals than there are', concat(a, sameCodes(1, 2, 0, 0))],
    ['with a match that reaches before the start', concat(a, sameCodes(1, 1, 2, 0, [1, 2]))],
    ['with a repeated offset that reaches before the start', concat(a, sameCodes(1, 1, 1, 0, [0, 1]))],
    ['with an offset of code 24', concat(a, sameCodes(1, 1, 24, 0, [0, 24]))],
    ['with an offset of code 31', concat(a, sameCodes(1, 1, 31, 0, [0, 31]))],
    [
      'with the offset 0',
      concat(a, sequences([{ literals: 1, offset: 1, match: 3 }, { literals: 0, offset: 3, match: 3 }]))
    ]
  ])('are refused %s', (_, content) => {
    for (const size of [0, 1, 2, 4, 5, 6, 7, 8, 20]) {
      refusesBlocks(size, compressed(content))
    }
  })

  it('are refused if they decode to more or less than the frame says', () => {
    const three = compressed(raw(ascii('abc')), sequences([{ literals: 3, offset: 6, match: 20 }]))
    reads(ascii('abcabcabcabcabcabcabcab'), three)

    for (const size of [0, 2, 3, 4, 22, 24, 100]) {
      refusesBlocks(size, three)
    }
  })

  it('are executed with tables of any kind', { tags: 'slow' }, () => {
    fc.assert(fc.property(anySequences(), ({ blocks, content }) => {
      const whole = frame(content.byteLength, ...blocks)
      expect(same(decodeZstdFrame(whole, content.byteLength), content)).toBe(true)
    }), { numRuns: 300 })
  })
})
