import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeltaCompressor } from '../src/zstd-delta.ts'
import { ALL, concat, label, noise, random, same, text } from './fixtures.ts'

const KIB = 1024
const readers = ALL.filter(({ name }) => name === 'zstd')
const compressor = await DeltaCompressor.create()

/** The frame, which every reader has read. */
async function compress (content: Uint8Array, dictionary: Uint8Array): Promise<Uint8Array> {
  const frame = compressor.compress(content, { dictionary, maxChanged: Infinity })

  if (frame == null) {
    throw new Error('there is no frame')
  }

  for (const reader of readers) {
    const back = await reader.decompress(frame, { size: content.byteLength, dictionary })
    expect(same(back, content), label(reader)).toBe(true)
  }

  return frame
}

/** Change bytes, insert some, delete some, and move some, about `count` times. */
function edit (bytes: Uint8Array, count: number, seed: number): Uint8Array {
  const next = random(seed)
  const parts: Uint8Array[] = []
  const step = Math.ceil(bytes.byteLength / count)
  let position = 0

  while (position < bytes.byteLength) {
    const end = position + 1 + next() % (2 * step)
    parts.push(bytes.subarray(position, end))
    const kind = next() % 4
    const length = next() % 40
    const moved = next() % bytes.byteLength
    position = kind === 0 || kind === 3 ? end + length : end

    if (kind === 1 || kind === 3) {
      parts.push(noise(length))
    } else if (kind === 2) {
      parts.push(bytes.subarray(moved, moved + length))
    }
  }

  return concat(...parts)
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('compressing what changed', () => {
  it.each([
    ['text', text(300 * KIB)],
    ['noise', noise(300 * KIB)],
    ['zeros', new Uint8Array(300 * KIB)],
    ['few words', concat(...Array.from({ length: 3000 }, (_, i) => text(100, i * i % 7)))]
  ])('finds edits in %s, wherever they are', async (_, bytes) => {
    for (const count of [1, 10, 100, 1000]) {
      const content = edit(bytes, count, count)
      const frame = await compress(content, bytes)
      // what is inserted, and ten bytes for what is copied before and after it
      expect(frame.byteLength).toBeLessThan(300 + 60 * count)
    }
  })

  it('takes next to nothing for content that is the dictionary, or a part of it', async () => {
    const bytes = noise(700 * KIB)

    expect((await compress(bytes, bytes)).byteLength).toBeLessThan(100)
    expect((await compress(bytes.subarray(100_001, 300_000), bytes)).byteLength).toBeLessThan(60)
  })

  it('reads back, whatever the content and the dictionary are', async () => {
    const parts = fc.array(fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.nat({ max: 5 }).map(seed => text(500, seed)),
      fc.nat({ max: 300 }).map(length => new Uint8Array(length))
    ), { minLength: 1, maxLength: 12 })

    await fc.assert(fc.asyncProperty(parts, parts, async (one, other) => {
      const dictionary = concat(text(8), ...one)
      const content = concat(Uint8Array.of(1), ...other)
      await compress(content, dictionary)
    }), { numRuns: 200 })
  })

  it('is the same for the same bytes, whatever was compressed before', async () => {
    const [large, small] = [noise(600 * KIB), text(90 * KIB)]
    const content = edit(small, 20, 5)
    const first = await compress(content, small)
    await compress(edit(large, 20, 6), large)
    const fresh = await DeltaCompressor.create()

    expect(same(await compress(content, small), first)).toBe(true)
    expect(fresh.compress(content, { dictionary: small, maxChanged: Infinity })).toEqual(first)
  })

  it('makes no frame if more changed than it may', async () => {
    const bytes = noise(100 * KIB)
    const content = concat(bytes.subarray(0, 50 * KIB), text(2000), bytes.subarray(50 * KIB), text(1000, 2))
    const compressed = (maxChanged: number): Uint8Array | undefined =>
      compressor.compress(content, { dictionary: bytes, maxChanged })

    expect(compressed(3000)).toBeDefined()
    expect(compressed(2999)).toBeUndefined()
    expect(compressed(1999)).toBeUndefined()
    expect(compressor.compress(noise(100), { dictionary: text(100), maxChanged: 99 })).toBeUndefined()
  })

  it('needs no WebAssembly', async () => {
    const bytes = text(100 * KIB)
    const content = edit(bytes, 10, 1)
    const frame = await compress(content, bytes)
    vi.stubGlobal('WebAssembly', undefined)
    const without = await DeltaCompressor.create()
    vi.unstubAllGlobals()

    expect(without.compress(content, { dictionary: bytes, maxChanged: Infinity })).toEqual(frame)
  })
})
