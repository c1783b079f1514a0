import { fromBase64 } from '@ipfsz/utils/base64'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modules } from '../src/generated/delta-module.ts'
import { ALL, concat, label, noise, same, text } from './fixtures.ts'

const KIB = 1024
const BLOCK = 128 * KIB
const readers = ALL.filter(({ name }) => name === 'zstd')

/** Bytes of the content that are also elsewhere: before them, or in the dictionary. */
interface Copy {
  /** Where they begin in the content. */
  start: number
  length: number
  /** How far before `start` they also begin. The dictionary ends where the content begins. */
  offset: number
}

/** A copy, and the literals before it. */
interface Step {
  literals: Uint8Array
  length: number
  /** Taken modulo what is there. */
  offset: number
}

/** Encodes a frame of copies that are given. */
type Encode = (dictionary: Uint8Array, content: Uint8Array, copies: readonly Copy[]) => Uint8Array

async function createEncoder (): Promise<Encode> {
  const { instance } = await WebAssembly.instantiate(fromBase64(modules[0]))
  const { memory } = instance.exports as { memory: WebAssembly.Memory }
  const { reserve, copyList, encodeFrame, secondRoom } =
    instance.exports as Record<string, (...numbers: number[]) => number>

  return (dictionary, content, copies) => {
    const start = reserve(dictionary.byteLength, content.byteLength)
    new Uint8Array(memory.buffer, start).set(concat(dictionary, content))
    new Int32Array(memory.buffer, copyList()).set(copies.flatMap(({ start, length, offset }) =>
      [dictionary.byteLength + start, length, offset]))
    const length = encodeFrame(copies.length, dictionary.byteLength)

    return new Uint8Array(memory.buffer, secondRoom(), length).slice()
  }
}

const encodeFrame = await createEncoder()

/** Content that is made of literals and copies, byte by byte. */
function build (dictionary: Uint8Array, steps: readonly Step[]): { content: Uint8Array, copies: Copy[] } {
  const all = [...dictionary]
  const copies: Copy[] = []

  for (const { literals, length, offset } of steps) {
    for (const literal of literals) {
      all.push(literal)
    }

    if (length > 0 && all.length > 0) {
      const back = 1 + offset % all.length
      copies.push({ start: all.length - dictionary.byteLength, length, offset: back })

      for (let i = 0; i < length; i++) {
        all.push(all[all.length - back])
      }
    }
  }

  return { content: Uint8Array.from(all.slice(dictionary.byteLength)), copies }
}

/** Every reader returns the content, and none of it without the dictionary's bytes. */
async function expectRead (dictionary: Uint8Array, content: Uint8Array, copies: readonly Copy[]): Promise<Uint8Array> {
  const frame = encodeFrame(dictionary, content, copies)

  for (const reader of readers) {
    const back = await reader.decompress(frame, { size: content.byteLength, dictionary })
    expect(same(back, content), `${label(reader)}, ${content.byteLength} bytes, ${copies.length} copies`).toBe(true)
  }

  return frame
}

/** Literals of a kind: which Huffman tree they get, if any, depends on that. */
const literals = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.nat({ max: 300 }).map(length => text(length, length)),
  fc.tuple(fc.nat({ max: 2000 }), fc.nat({ max: 255 })).map(([length, byte]) => new Uint8Array(length).fill(byte)),
  fc.tuple(fc.nat({ max: 2000 }), fc.integer({ min: 1, max: 255 }))
    .map(([length, mask]) => noise(length).map(byte => byte & mask))
)

const step = fc.record({
  literals,
  // a list of copies has room for ones of four bytes and more
  length: fc.oneof(fc.integer({ min: 4, max: 40 }), fc.integer({ min: 4, max: 3000 })),
  // near ones are often the same as before
  offset: fc.oneof(fc.nat({ max: 10 }), fc.nat({ max: 2 ** 30 }))
})

describe('zstd frames of literals and copies', () => {
  it('are read by every reader, whatever they hold', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const dictionary = text(5000, 9)
      const { content, copies } = build(dictionary, [...steps, { literals: Uint8Array.of(7), length: 0, offset: 0 }])
      await expectRead(dictionary, content, copies)
    }), { numRuns: 150 })
  })

  it('may have hundreds of copies of all lengths, with tables of their own', async () => {
    const dictionary = noise(100 * KIB)
    const words = text(100 * KIB)

    for (const count of [127, 128, 1000, 40_000]) {
      const steps = Array.from({ length: count }, (_, i) => ({
        literals: words.subarray(2 * i, 2 * i + i % 7),
        length: 3 + i % 5 * (i % 3),
        offset: i * 7919
      }))
      const { content, copies } = build(dictionary, steps)
      const frame = await expectRead(dictionary, content, copies)
      expect(frame.byteLength).toBeLessThan(count * 12 + 200)
    }
  })

  it.each([-4, -3, -2, -1, 0, 1, 2, 3, 4])('are cut into blocks wherever copies end: %i', async more => {
    const dictionary = noise(3 * BLOCK)
    const lengths = [BLOCK + more, 3, 4, 5, BLOCK - 5 + more, 2 * BLOCK + more, 6]
    const steps = lengths.map((length, i) => ({ literals: text(i % 3, i), length, offset: 2 * BLOCK + i }))
    const { content, copies } = build(dictionary, steps)
    const frame = await expectRead(dictionary, content, copies)
    // ten bytes or so for each copy, and for each block that it is in
    expect(frame.byteLength).toBeLessThan(400)
  })

  it.each([-3, -1, 0, 1, 2])('may have literals up to the end of a block: %i', async more => {
    const dictionary = text(1000)

    for (const length of [3, 5, 200_000]) {
      const { content, copies } = build(dictionary, [
        { literals: noise(BLOCK + more), length, offset: 100 },
        { literals: text(2 * BLOCK + more), length, offset: 200 }
      ])
      await expectRead(dictionary, content, copies)
    }
  })

  it.each([1, 2, 255, 256, 257, 65_791, 65_792, 300_000])('may have no copies: %i bytes', async size => {
    for (const content of [text(size), noise(size), new Uint8Array(size), noise(size).map(byte => byte & 1)]) {
      const frame = await expectRead(text(100), content, [])
      expect(frame.byteLength).toBeLessThanOrEqual(size + 3 * Math.ceil(size / BLOCK) + 13)
    }
  })

  it('have codes of up to eleven bits, however rare a byte is', async () => {
    // counts as Fibonacci numbers make the deepest tree
    const counts = Array.from({ length: 24 }, () => 1)

    for (let i = 2; i < counts.length; i++) {
      counts[i] = counts[i - 1] + counts[i - 2]
    }

    const content = concat(...counts.map((count, byte) => new Uint8Array(count).fill(byte * 10)))
    const frame = await expectRead(text(100), content, [])
    expect(frame.byteLength).toBeLessThan(content.byteLength / 2)
  })

  it('describe trees of any bytes, and use them again', async () => {
    for (const symbols of [2, 3, 100, 128, 129, 130, 200, 256]) {
      // twice as many of each byte as of the next, in turns
      const part = Uint8Array.from({ length: 3000 }, (_, i) => (i * i + (i % 3 === 0 ? 0 : i)) % symbols)
      const content = concat(part, noise(BLOCK - 3000), part, part)
      await expectRead(text(100), content, [])
    }
  })

  it('do not use a tree again that lacks a byte, even where they can have none of their own', async () => {
    // all bytes are as frequent: each has a code of eight bits, which no description of a tree can say
    const even = Uint8Array.from({ length: 32 * KIB }, (_, i) => i * 167 + (i >> 8))
    const dictionary = noise(BLOCK)
    const { content, copies } = build(dictionary, [
      { literals: text(2000), length: BLOCK, offset: BLOCK - 1 },
      { literals: even, length: BLOCK, offset: BLOCK - 1 }
    ])
    await expectRead(dictionary, content, copies)
  })

  it('do not describe tables that have no state for some of the codes', async () => {
    // 40 codes of match lengths, and so few copies that a table of their own would have 32 states
    const lengths = Array.from({ length: 40 }, (_, i) => i < 32 ? i + 4 : 2 ** (i - 26) + 3)
    const steps = [...lengths, ...lengths].map(length => ({ literals: new Uint8Array(0), length, offset: 1000 }))
    const dictionary = noise(200 * KIB)
    const { content, copies } = build(dictionary, steps)
    const frame = await expectRead(dictionary, content, copies)

    expect(frame.byteLength).toBeLessThan(110)
  })
})
