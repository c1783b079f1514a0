/** @module-tag long */
import fc from 'fast-check'
import { decompress as fzstd } from 'fzstd'
import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { pairwise } from '../../../test/support/pairwise.ts'
import { MAX_DICTIONARY_SIZE, MAX_FRAME_SIZE } from '../src/constants.ts'
import { decodeZstdFrame } from '../src/format/zstd/zstd-decode.ts'
import { zstdDecoder } from '../src/zstd-decoder.ts'
import { ALL, concat, edited, fromBase64, label, NAMES, noise, random, same, text, toHex, WRITERS } from './fixtures.ts'
import {
  block,
  bytes,
  checkedFrame,
  compressed,
  notLast,
  raw,
  sequences,
  stored,
  windowFrame
} from './zstd-fixtures.ts'
import { anySequences } from './zstd-twin.ts'

const KIB = 1024
const MIB = 1024 * KIB
const CORRUPT = { name: 'CorruptFrameError', codec: 'zstd' }

const writers = WRITERS.filter(({ name }) => name === 'zstd')
const readers = ALL.filter(({ name }) => name === 'zstd')

const DICTIONARIES = [8, 100, 112 * KIB, MIB].map(length => text(length, 5))
const SIZES = [0, 1, 100, 64 * KIB, MIB]

/** All sizes at levels 1 and 3, and the small ones at levels 9 and 19, which take half a second for a megabyte. */
const CASES = [
  ...pairwise({ dictionary: DICTIONARIES, size: SIZES, level: [1, 3] }),
  ...pairwise({ dictionary: DICTIONARIES.slice(0, -1), size: SIZES.slice(0, -1), level: [9, 19] })
]

/** A frame of some nines, and a match with an offset as it is stored, which holds the expected bytes. */
function withMatch (literals: number, offset: number, expected: number[]): [frame: Uint8Array, content: Uint8Array] {
  const before = new Uint8Array(literals).fill(9)
  // so that the window is not too small for a block
  const rest = text(100)
  const content = concat(before, Uint8Array.from(expected), rest)
  const match = compressed(raw(before), sequences([{ literals, offset, match: expected.length }]))

  return [checkedFrame(content, notLast(match), stored(rest)), content]
}
describe.each(writers.map(codec => [label(codec), codec] as const))('%s with a dictionary', (_, writer) => {
  it('makes frames that every reader reads, at every level and size', { tags: 'slow' }, async () => {
    for (const { dictionary, size, level } of CASES) {
      const content = edited(dictionary, size)
      const frame = await writer.compress(content, { level, dictionary })

      for (const reader of readers) {
        const back = await reader.decompress(frame, { size, dictionary })
        expect(same(back, content), `${label(reader)}, ${dictionary.byteLength}, ${size}, level ${level}`).toBe(true)
        // zlib puts small results into a pool of 64 KiB
        expect(back.buffer.byteLength, 'no more is kept in memory').toBeLessThanOrEqual(size + 64 * KIB)
      }
    }
  })

  it('makes frames of 256 KiB that every reader reads at slow levels', { tags: 'slow' }, async () => {
    const dictionary = text(256 * KIB, 5)
    const content = edited(dictionary, 256 * KIB)

    for (const level of [9, 13, 19]) {
      const frame = await writer.compress(content, { level, dictionary })

      for (const reader of readers) {
        const back = await reader.decompress(frame, { size: content.byteLength, dictionary })
        expect(same(back, content), label(reader)).toBe(true)
      }
    }
  })

  it('makes small frames of content that the dictionary has', async () => {
    for (const dictionary of [text(2000, 5), text(112 * KIB, 5), noise(100 * KIB)]) {
      for (const level of [1, 3, 9, 19]) {
        const content = edited(dictionary, 2000)
        const frame = await writer.compress(content, { level, dictionary })
        const without = await writer.compress(content, { level })

        expect(frame.byteLength, `${dictionary.byteLength}, level ${level}`).toBeLessThan(without.byteLength / 2)
      }
    }
  })

  it('makes frames with a checksum and a window that holds all of the content', async () => {
    for (const { dictionary, size, level } of CASES.filter(({ level }) => level < 9)) {
      const [descriptor] = (await writer.compress(edited(dictionary, size), { level, dictionary })).subarray(4)

      expect(descriptor & 0b100, 'checksum').toBe(0b100)
      // no block may exceed the window, not even the mark
      expect(descriptor & 0b100000, `single segment of ${size}`).toBe(size < 15 ? 0 : 0b100000)
      expect(descriptor & 0b11, 'dictionary ID').toBe(0)
    }
  })

  it('makes frames that fzstd refuses, which checks nothing that a dictionary decides', async () => {
    for (const { dictionary, size, level } of CASES.filter(({ level }) => level < 9)) {
      const frame = await writer.compress(edited(dictionary, size), { level, dictionary })

      expect(() => fzstd(frame), `${size} bytes`).toThrow('invalid zstd data')
    }
  })

  it('makes the same frame from the same bytes, regardless of earlier calls', async () => {
    const [, small, large] = DICTIONARIES
    const content = edited(large, 10_000)
    const first = await writer.compress(content, { dictionary: large })

    await writer.compress(content, { dictionary: small })
    await writer.compress(content)
    expect(same(await writer.compress(content, { dictionary: large }), first)).toBe(true)
  })

  it('leaves the dictionary as it is, even if the bytes may be transferred', async () => {
    const dictionary = text(10_000, 5)
    const frame = new Uint8Array(await writer.compress(edited(dictionary, 3000), { dictionary, transfer: true }))

    for (const reader of readers) {
      await reader.decompress(frame.slice(), { size: 3000, dictionary, transfer: true })
    }

    expect(same(dictionary, text(10_000, 5))).toBe(true)
  })

  it('takes a dictionary that is a part of a larger buffer, or in shared memory', async () => {
    const dictionary = text(10_000, 5)
    const inside = concat(noise(333), dictionary, noise(100)).subarray(333, 10_333)
    const content = edited(dictionary, 3000)
    const frame = await writer.compress(content, { dictionary })
    const views = [inside]

    if (typeof SharedArrayBuffer === 'function') {
      const shared = new Uint8Array(new SharedArrayBuffer(10_000))
      shared.set(dictionary)
      views.push(shared)
    }

    for (const view of views) {
      expect(same(await writer.compress(content, { dictionary: view }), frame)).toBe(true)

      for (const reader of readers) {
        const back = await reader.decompress(frame, { size: 3000, dictionary: view })
        expect(same(back, content), label(reader)).toBe(true)
      }
    }
  })
})

describe.each(
  readers.map(codec => [label(codec), codec] as const)
)('the decoder of %s with a dictionary', (_, reader) => {
  const dictionary = text(10_000, 5)
  const content = concat(dictionary, text(500, 6), dictionary)
  const size = content.byteLength
  const frame = (async () => codecs.zstd().compress(content, { dictionary }))()

  it.each([
    ['missing', undefined],
    ['another one', text(10_000, 7)],
    ['one with a flipped bit', dictionary.with(5000, dictionary[5000] ^ 1)],
    ['cut short at the front', dictionary.subarray(1)],
    ['cut short at the end', dictionary.subarray(0, -1)],
    ['longer at the end', concat(dictionary, text(1))],
    ['far shorter', dictionary.subarray(0, 8)]
  ])('refuses a frame if the dictionary is %s', async (_, wrong) => {
    const rest = text(500, 6)
    // a match of all of the dictionary, so that each of its bytes matters
    const match = compressed(raw(bytes()), sequences([{ literals: 0, offset: 3 + 10_000, match: 10_000 }]))
    const made = checkedFrame(concat(dictionary, rest), notLast(match), stored(rest))

    expect(same(await reader.decompress(made, { size: 10_500, dictionary }), concat(dictionary, rest))).toBe(true)
    await expect(async () => reader.decompress(made, { size: 10_500, dictionary: wrong })).rejects
      .toMatchObject(CORRUPT)
  })

  it('refuses a frame without a checksum', async () => {
    const unchecked = await codecs.zstd().compress(content)
    expect(same(await reader.decompress(unchecked, { size }), content)).toBe(true)
    await expect(async () => reader.decompress(unchecked, { size, dictionary })).rejects.toMatchObject(CORRUPT)
  })

  it('refuses a window that is smaller than the content, however much of it is used', async () => {
    const small = noise(1500)
    const whole = checkedFrame(small, stored(small))
    // a window of 1 KiB
    const blocks = [notLast(stored(small.subarray(0, 1000))), stored(small.subarray(1000))]
    const windowed = concat(windowFrame(1500, 0, ...blocks).with(4, 0x84), whole.subarray(-4))

    expect(same(await reader.decompress(whole, { size: 1500, dictionary }), small)).toBe(true)
    expect(same(await reader.decompress(windowed, { size: 1500 }), small)).toBe(true)
    await expect(async () => reader.decompress(windowed, { size: 1500, dictionary })).rejects.toMatchObject(CORRUPT)
  })

  it('refuses a frame that is cut short, and other sizes', async () => {
    const whole = await frame

    for (let length = 0; length < whole.byteLength; length += length < 30 ? 1 : 37) {
      await expect(async () => reader.decompress(whole.subarray(0, length), { size, dictionary }), `${length} bytes`)
        .rejects.toMatchObject(CORRUPT)
    }

    for (const wrong of [0, 1, size - 1, size + 1, 2 * size]) {
      await expect(async () => reader.decompress(whole, { size: wrong, dictionary })).rejects.toMatchObject(CORRUPT)
    }
  })

  it('refuses a frame with a flipped bit, unless the bit means nothing', async () => {
    const whole = await frame
    const next = random(7)

    for (let i = 0; i < 300; i++) {
      const position = i % 2 === 0 ? next() % 32 : next() % whole.byteLength
      const flipped = whole.with(position, whole[position] ^ 1 << next() % 8)
      const outcome = await Promise.resolve(reader.decompress(flipped, { size, dictionary }))
        .then(bytes => same(bytes, content), (err: Error) => err.name)

      expect([true, 'CorruptFrameError']).toContain(outcome)
    }
  })

  it('reads matches up to the first byte of the dictionary, and none before it', async () => {
    const eight = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])
    const read = async (literals: number, offset: number, expected: number[]): Promise<void> => {
      const [made, content] = withMatch(literals, offset, expected)
      const back = await reader.decompress(made, { size: content.byteLength, dictionary: eight })
      expect(same(back, content), `${literals}, ${offset}`).toBe(true)
    }

    // offsets are stored plus 3
    await read(0, 3 + 8, [1, 2, 3])
    await read(0, 3 + 8, [1, 2, 3, 4, 5, 6, 7, 8])
    // from the dictionary on into the content
    await read(0, 3 + 8, [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4])
    await read(2, 3 + 10, [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 1, 2])
    await read(2, 3 + 3, [8, 9, 9, 8, 9, 9, 8, 9])
    // the repeat offsets 1, 4 and 8; without literals, 4, 8 and 1 - 1
    await read(1, 2, [6, 7, 8, 9, 6])
    await read(1, 3, [2, 3, 4, 5, 6, 7, 8, 9, 2])
    await read(0, 1, [5, 6, 7, 8, 5])
    await read(0, 2, [1, 2, 3, 4, 5])

    for (const [literals, offset] of [[0, 3 + 9], [2, 3 + 11], [0, 3], [0, 3 + 2 ** 24], [0, 3 + 2 ** 25]]) {
      const [made, { byteLength: size }] = withMatch(literals, offset, [1, 2, 3])
      await expect(async () => reader.decompress(made, { size, dictionary: eight })).rejects.toMatchObject(CORRUPT)
    }
  })

  it('reads the largest frame with the largest dictionary', async () => {
    const largest = new Uint8Array(MAX_DICTIONARY_SIZE)
    largest.set([1, 2, 3])
    const content = new Uint8Array(MAX_FRAME_SIZE)
    content.set([1, 2, 3], MAX_FRAME_SIZE - 3)
    const zeros = block(1, 128 * KIB, bytes(0), false)
    const last = block(1, 128 * KIB - 3, bytes(0), false)
    // the longest distance there is
    const match = compressed(raw(bytes()), sequences([{ literals: 0, offset: 3 + 32 * MIB - 3, match: 3 }]))
    const made = checkedFrame(content, ...Array<Uint8Array>(127).fill(zeros), last, match)

    const back = await reader.decompress(made, { size: MAX_FRAME_SIZE, dictionary: largest })

    // the rest is what the checksum says
    expect([...back.subarray(-4)]).toEqual([0, 1, 2, 3])
  })
})

describe('the Zstandard decoder in JavaScript', () => {
  it('executes any sequences with a dictionary', () => {
    for (const dictionary of [noise(8), text(1000, 3), noise(70_000)]) {
      fc.assert(fc.property(anySequences(dictionary), ({ blocks, content }) => {
        const whole = checkedFrame(content, ...blocks)
        expect(same(decodeZstdFrame(whole, content.byteLength, dictionary), content)).toBe(true)
      }), { numRuns: 20 })
    }
  })

  it('reads dictionaries in the small decoder too', async () => {
    const dictionary = text(3000, 5)
    const content = edited(dictionary, 3000)
    const frame = await codecs.zstd().compress(content, { dictionary })

    expect(zstdDecoder().dictionaries).toBe(true)
    expect(same(await zstdDecoder().decompress(frame, { size: 3000, dictionary }), content)).toBe(true)
  })
})

/** Two versions of a text: the dictionary, and what the golden frames hold. */
const FIRST = new TextEncoder().encode(Array.from({ length: 60 }, (_, i) => `line ${i}: ${i * i} apples\n`).join(''))
const SECOND = new TextEncoder().encode(
  Array.from({ length: 60 }, (_, i) => i === 30 ? 'a new line\n' : `line ${i}: ${i * i} apples\n`).join('')
)

/** Frames of {@link SECOND} with the dictionary {@link FIRST}. They must stay readable forever. */
const GOLDEN: ReadonlyArray<[made: string, base64: string]> = [
  ['node:zlib, libzstd 1.5.7, level 3', 'KLUv/WSrA2QAAAIAAgYQ8AEAwgcBAKUAADBhIG5ldyADEApeXCnQi1U9bqmAQrx8Ow=='],
  [
    '@bokuweb/zstd-wasm 0.0.27, level 3',
    'KLUv/WSrA2QAAAIAAgYQ8AEAwgcBAN0AADBhIG5ldyAFAFhcyRXGiAFJRFA4bskFd1oBBEK8fDs='
  ],
  ['node:zlib, before frames were marked', 'KLUv/WSrA6UAADBhIG5ldyADEApeXCnQi1U9bqmAQrx8Ow=='],
  ['@bokuweb/zstd-wasm 0.0.27, before frames were marked', 'KLUv/WSrA90AADBhIG5ldyAFAFhcyRXGiAFJRFA4bskFd1oBBEK8fDs='],
  // zstd -c -19 -D first.txt second.txt
  ['the tool, zstd 1.5.4', 'KLUv/WSrA70AAFhsYSBuZXcgbGluZQIAXlzJFfK4pcpXQrx8Ow==']
]

describe('a golden frame with a dictionary', () => {
  it.each(GOLDEN)('is read by every reader: %s', async (_, base64) => {
    const frame = fromBase64(base64)

    for (const reader of readers) {
      const back = await reader.decompress(frame, { size: SECOND.byteLength, dictionary: FIRST })
      expect(same(back, SECOND), label(reader)).toBe(true)
    }
  })
})

describe('a deterministic codec with a dictionary', () => {
  it('makes the same frames on every platform', async () => {
    const codec = codecs.zstd({ deterministic: true })
    const dictionary = text(256 * KIB, 5)
    const content = edited(dictionary, 100_000)
    const hashes = await Promise.all([1, 3, 9, 19].map(async level => {
      const frame = await codec.compress(content, { level, dictionary })

      return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(frame)))).slice(0, 16)
    }))

    expect(hashes).toEqual(['ad0577cb13eae8ab', '652425966484e6fb', '0d01205f80fa5ef0', '7954dd15a35f905e'])
    expect(await codec.compress(SECOND, { dictionary: FIRST })).toEqual(fromBase64(GOLDEN[1][1]))
  })
})

describe('a codec given a dictionary', () => {
  const dictionary = text(100)

  it.each([
    ['of no bytes', new Uint8Array(0)],
    ['of 7 bytes', text(7)],
    ['of more than 16 MiB', new Uint8Array(MAX_DICTIONARY_SIZE + 1)],
    ['that zstd has trained', bytes(0x37, 0xa4, 0x30, 0xec, ...Array<number>(100).fill(1))]
  ])('refuses one %s', async (_, invalid) => {
    const plain = await codecs.zstd().compress(text(10))

    for (const codec of writers) {
      await expect(async () => codec.compress(text(10), { dictionary: invalid }))
        .rejects.toMatchObject({ name: 'InvalidDictionaryError', size: invalid.byteLength })
    }

    for (const codec of readers) {
      await expect(async () => codec.decompress(plain, { size: 10, dictionary: invalid }))
        .rejects.toMatchObject({ name: 'InvalidDictionaryError', size: invalid.byteLength })
    }
  })

  it('says whether it takes one', () => {
    for (const codec of ALL) {
      expect(codec.dictionaries, label(codec)).toBe(codec.name === 'zstd')
    }
  })

  it('refuses it if it is not zstd', async () => {
    for (const name of NAMES.filter(name => name !== 'zstd')) {
      const codec = codecs[name]()
      const error = { name: 'DictionaryNotSupportedError', codec: name, implementation: codec.implementation }
      const frame = await codec.compress(text(10))

      await expect(async () => codec.compress(text(10), { dictionary })).rejects.toMatchObject(error)
      await expect(async () => codec.decompress(frame, { size: 10, dictionary })).rejects.toMatchObject(error)
    }
  })

  it('refuses to compress with an implementation that only decompresses', async () => {
    await expect(async () => codecs.zstd({ implementation: 'js' }).compress(text(10), { dictionary }))
      .rejects.toMatchObject({ name: 'MissingImplementationError' })
  })
})
