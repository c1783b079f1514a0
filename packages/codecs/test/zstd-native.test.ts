import zlib, { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { codecs } from '../src/all.ts'
import { zstd } from '../src/zstd.ts'
import { decodeZstdFrame } from '../src/format/zstd/zstd-decode.ts'
import { checkZstdFrame } from '../src/format/zstd/zstd-frame.ts'
import { distinctShare } from '../src/impl/distinct-share.ts'
import { create } from '../src/impl/zstd-native.ts'
import { concat, edited, noise, random, same, text } from './fixtures.ts'
import { checkedFrame, frame } from './zstd-fixtures.ts'
import { anySequences } from './zstd-twin.ts'

const MIB = 1024 * 1024

/**
 * A frame with its content size, by Node's own encoder. The buffer is larger than the
 * frame: if a frame just fills it, Node adds an empty frame.
 */
function encode (bytes: Uint8Array, params: Record<number, number> = {}): Uint8Array {
  return new Uint8Array(
    zstdCompressSync(bytes, { pledgedSrcSize: bytes.byteLength, chunkSize: 1024 + 2 * bytes.byteLength, params })
  )
}

/** Reads a frame that libzstd made with a dictionary. */
function readsBackWith (dictionary: Uint8Array, bytes: Uint8Array, level: number): void {
  const frame = new Uint8Array(zstdCompressSync(bytes, {
    dictionary,
    pledgedSrcSize: bytes.byteLength,
    chunkSize: 1024 + 2 * bytes.byteLength,
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 }
  }))
  const where = `${dictionary.byteLength}, ${bytes.byteLength}, level ${level}`

  expect(same(decodeZstdFrame(frame, bytes.byteLength, dictionary), bytes), where).toBe(true)
}

function readsBack (bytes: Uint8Array, params?: Record<number, number>): void {
  expect(same(decodeZstdFrame(encode(bytes, params), bytes.byteLength), bytes), JSON.stringify(params)).toBe(true)
}

/** Text, noise, zeros and bytes in between, several times. */
const MIXED = concat(...Array.from({ length: 16 }, (_, seed) => concat(
  text(70_000, seed + 1), noise(30_000), new Uint8Array(
    50_000
  ), text(200, 3), Uint8Array.from({ length: 60_000 }, (_, i) => i >> 6), noise(60_000).map(byte => byte & 3)
)))

const KINDS: ReadonlyArray<[kind: string, make: (length: number) => Uint8Array]> = [
  ['text', text],
  ['noise', noise],
  ['zeros', length => new Uint8Array(length)],
  ['few different bytes', length => noise(length).map(byte => 97 + (byte & 3))],
  ['many runs', length => Uint8Array.from({ length }, (_, i) => i >> 5)],
  ['mixed content', length => MIXED.slice(0, length)]
]

describe.each(KINDS)('frames of %s from libzstd', (_, make) => {
  it('are read at every length up to 300', () => {
    for (let length = 0; length <= 300; length++) {
      for (const level of [1, 19]) {
        readsBack(make(length), {
          [constants.ZSTD_c_compressionLevel]: level,
          [constants.ZSTD_c_checksumFlag]: length & 1
        })
      }
    }
  })

  it('are read at every level', { tags: 'slow' }, () => {
    const bytes = make(300_000)

    for (let level = -5; level <= 22; level++) {
      readsBack(bytes, { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: level & 1 })
    }
  })

  it.each([65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 262_145, 4 * MIB])('are read at a length of %d', {
    tags: 'slow'
  }, (
    length
  ) => {
    const bytes = make(length)

    for (const level of [1, 3, 12]) {
      readsBack(bytes, { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 })
    }
  })

  it('are read with small windows and small blocks', () => {
    const bytes = make(50_000)

    for (const windowLog of [10, 11, 14]) {
      for (const level of [1, 5, 19]) {
        readsBack(bytes, { [constants.ZSTD_c_windowLog]: windowLog, [constants.ZSTD_c_compressionLevel]: level })
        readsBack(bytes, {
          [constants.ZSTD_c_windowLog]: windowLog,
          [constants.ZSTD_c_compressionLevel]: level,
          [constants.ZSTD_c_targetLength]: 1,
          [constants.ZSTD_c_minMatch]: 3
        })
      }
    }

    readsBack(bytes, { [constants.ZSTD_c_enableLongDistanceMatching]: 1 })
  })
})

describe('frames from libzstd with a dictionary', () => {
  it.each([8, 9, 100, 5000, 200_000])('are read: %d bytes', (length) => {
    const dictionary = text(length, 5)

    // a slow level searches all of a large dictionary first
    for (let size = 0; size <= 200; size += length > 5000 ? 40 : 1) {
      readsBackWith(dictionary, edited(dictionary, size, size + 1), size % 19 + 1)
    }

    for (const level of [1, 3, 6, 9, 13, 16, 19]) {
      readsBackWith(dictionary, edited(dictionary, 20_000), level)
      readsBackWith(dictionary, concat(text(3000, 9), dictionary, text(1000, 9)), level)
    }
  })
})

describe('the Zstandard decoder compared with libzstd', () => {
  it('reads 16 MiB of zeros', () => {
    readsBack(new Uint8Array(16 * MIB), { [constants.ZSTD_c_checksumFlag]: 1 })
  })

  it('has a slow twin that agrees with libzstd on any sequences', { tags: 'slow' }, () => {
    fc.assert(fc.property(anySequences(), ({ blocks, content }) => {
      expect(same(zstdDecompressSync(frame(content.byteLength, ...blocks)), content)).toBe(true)
    }), { numRuns: 100 })
  })

  it('has a slow twin that agrees with libzstd on any sequences with a dictionary', () => {
    const dictionary = text(1000, 3)

    fc.assert(fc.property(anySequences(dictionary), ({ blocks, content }) => {
      expect(same(zstdDecompressSync(checkedFrame(content, ...blocks), { dictionary }), content)).toBe(true)
    }), { numRuns: 100 })
  })

  it('refuses what libzstd refuses, and decodes what it reads to the same bytes', { tags: 'slow' }, () => {
    const next = random(5)
    const sources = KINDS.flatMap(([, make]) => [100, 1000, 9000].map(length => make(length + next() % length)))
    const frames = sources.flatMap(
      bytes => [1, 3, 19].map(
        level => ({
          bytes,
          frame: encode(bytes, {
            [constants.ZSTD_c_compressionLevel]: level,
            [constants.ZSTD_c_windowLog]: 10 + next() % 3
          })
        })
      )
    )
    let read = 0

    for (let i = 0; i < 20_000; i++) {
      const { bytes, frame } = frames[i % frames.length]
      const { length: blocks } = checkZstdFrame(frame, bytes.byteLength)
      const mutated = frame.slice()

      for (let changes = 1 + next() % 2; changes > 0; changes--) {
        // after the header, mostly where trees and tables are
        const place = blocks + next() % Math.min(next() % 4 === 0 ? Infinity : 60, frame.byteLength - blocks)
        mutated[place] = next() % 2 === 0 ? next() : mutated[place] ^ 1 << next() % 8
      }

      let output: Uint8Array

      try {
        output = decodeZstdFrame(mutated, bytes.byteLength)
      } catch (err) {
        expect(err).toMatchObject({ name: 'CorruptFrameError', codec: 'zstd' })
        continue
      }

      read++
      expect(same(zstdDecompressSync(mutated), output), Buffer.from(mutated).toString('base64')).toBe(true)
    }

    expect(read).toBeGreaterThan(1000)
  })
})

describe('zstd in Node with a long dictionary', () => {
  // with tables for the content alone, its beginning is forgotten, and a frame has half of its bytes
  it.each([5, 6, 8, 12])('finds all of it at level %d', async level => {
    const dictionary = noise(3 * MIB)
    const bytes = edited(dictionary, MIB)
    const frame = await codecs.zstd({ implementation: 'native' }).compress(bytes, { level, dictionary })

    expect(frame.byteLength).toBeLessThan(8000)
    expect(same(zstdDecompressSync(frame, { dictionary }), bytes)).toBe(true)
  })

  // sequences that repeat themselves share a part of the table, so a smaller one does
  it.each([7, 8])('finds all of a text that is as long as the content at level %d', async level => {
    const dictionary = text(544 * 1024)
    const bytes = edited(dictionary, 512 * 1024)
    const frame = await codecs.zstd({ implementation: 'native' }).compress(bytes, { level, dictionary })

    expect(distinctShare(dictionary)).toBeLessThan(0.6)
    expect(frame.byteLength).toBeLessThan(8000)
    expect(same(zstdDecompressSync(frame, { dictionary }), bytes)).toBe(true)
  })

  it('tells what repeats itself from what does not, anywhere in it', () => {
    const [half, other] = [noise(300_000), text(300_000)]

    expect(distinctShare(noise(544 * 1024))).toBeGreaterThan(0.95)
    expect(distinctShare(new Uint8Array(544 * 1024))).toBeLessThan(0.01)
    expect(distinctShare(concat(half, other))).toBeGreaterThan(0.6)
    expect(distinctShare(concat(other, half))).toBeGreaterThan(0.6)
  })

  // with smaller tables than that of half a megabyte, the beginning is forgotten
  it.each([5, 7, 8])('finds all of one that is as long as the content at level %d', async level => {
    const dictionary = noise(288 * 1024)
    const bytes = edited(dictionary, 256 * 1024)
    const frame = await codecs.zstd({ implementation: 'native' }).compress(bytes, { level, dictionary })

    expect(frame.byteLength).toBeLessThan(2500)
    expect(same(zstdDecompressSync(frame, { dictionary }), bytes)).toBe(true)
  })
})

describe('frames made with a dictionary', () => {
  it('may be longer than the memory that they first have', async () => {
    for (const length of [130_000, 131_072, 400_000]) {
      const bytes = noise(length, 4)
      const dictionary = noise(length, 5)
      const frame = await zstd().compress(bytes, { level: 7, dictionary })

      expect(same(decodeZstdFrame(frame, length, dictionary), bytes)).toBe(true)
    }
  })
})

describe('small frames', () => {
  it('are made without a promise', () => {
    const { compress } = create()

    expect(compress?.(text(1000), 3)).toBeInstanceOf(Uint8Array)
    expect(compress?.(text(1000), 9)).toBeInstanceOf(Promise)
  })
})

/** Calls a function with each part that a stream of zstd makes, and takes what it returns in its place. */
function onPart (take: (part: Buffer) => Buffer): void {
  const createStream = zlib.createZstdCompress

  vi.spyOn(zlib, 'createZstdCompress').mockImplementation(options => {
    const stream = createStream(options)

    return Object.defineProperty(stream, 'push', {
      set (push: (part: Buffer) => boolean) {
        Object.defineProperty(stream, 'push', { value: (part: Buffer) => push(take(part)) })
      },
      configurable: true
    })
  })
}

describe('frames that do not shrink', () => {
  afterEach(() => { vi.restoreAllMocks() })

  it('are whole', async () => {
    const codec = zstd({ implementation: 'native' })
    const bytes = noise(100_000)
    const dictionary = text(200_000)

    for (const options of [{}, { level: 5 }, { background: true }, { dictionary }, { dictionary, level: 13 }]) {
      const frame = await codec.compress(bytes, options)

      expect(frame.byteLength).toBeGreaterThan(bytes.byteLength)
      expect(same(await codec.decompress(frame, { size: bytes.byteLength, ...options }), bytes)).toBe(true)
    }
  })

  it('are refused if they are cut short', async () => {
    onPart(part => part.subarray(0, 1000))

    const codec = zstd({ implementation: 'native' })

    // of a level with a stream for each frame
    await expect(codec.compress(noise(100_000), { level: 5 })).rejects.toThrow('it is cut short')
  })
})

describe('frames made without the events of a stream', () => {
  afterEach(() => { vi.restoreAllMocks() })

  it('are those that zlib makes', { tags: 'slow' }, async () => {
    const codec = zstd({ implementation: 'native' })

    for (const length of [0, 1, 40, 65_537, 131_072, 300_000, MIB, MIB + 1]) {
      for (const [kind, make] of KINDS) {
        for (const level of [1, 3, 7]) {
          const bytes = make(length)
          const frame = await codec.compress(bytes, { level })
          const other = encode(bytes, { [constants.ZSTD_c_compressionLevel]: level })

          expect(same(frame, other), `${kind}, ${length}, level ${level}`).toBe(true)
        }
      }
    }
  })

  it('are made with them by runtimes that have nothing else', async () => {
    const createStream = zlib.createZstdCompress
    vi.spyOn(zlib, 'createZstdCompress').mockImplementation(options =>
      Object.assign(createStream(options), { _processChunk: undefined }))

    const bytes = text(MIB)

    expect(same(decodeZstdFrame(await zstd({ implementation: 'native' }).compress(bytes), MIB), bytes)).toBe(true)
  })
})

describe('frames made in the background', () => {
  it('are those made in the foreground', { tags: 'slow' }, async () => {
    const codec = zstd({ implementation: 'native' })

    const block = 128 * 1024

    for (const length of [100, 16 * 1024, 16 * 1024 + 1, 100_000, block, 200_000, 2 * block, 4 * block - 1]) {
      for (const [kind, make] of KINDS) {
        for (const level of [1, 3, 7]) {
          const bytes = make(length)
          const [frame, other] = await Promise.all([
            codec.compress(bytes, { level }),
            codec.compress(bytes, { level, background: true })
          ])

          expect(same(frame, other), `${kind}, ${length}, level ${level}`).toBe(true)
          expect(same(await codec.decompress(other, { size: length }), bytes)).toBe(true)
        }
      }
    }
  })
})

describe('memory of native zstd', () => {
  afterEach(() => { vi.restoreAllMocks() })

  it.each([['noise', noise], ['text', text]])('has no more than the frame in the end: %s', async (_, make) => {
    const bytes = make(MIB)

    for (const level of [3, 5]) {
      const frame = await create().compress?.(bytes, level) ?? bytes

      expect(frame.buffer.byteLength).toBe(frame.byteLength)
      expect(same(decodeZstdFrame(frame, MIB), bytes)).toBe(true)
    }
  })
})
