/** @module-tag long */
import zlib, { constants, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { allCodecs } from '../src/all.ts'
import { zstdCompressKeptDictionary } from '../src/platform/zstd-contexts.ts'
import { zstd } from '../src/zstd.ts'
import { noise, text } from './fixtures.ts'
import type { ZstdOptions } from 'node:zlib'
import type { Codec } from '../src/codec.ts'

const KIB = 1024
const BLOCK = 128 * KIB

/** Native zstd that is loaded. */
async function loaded (): Promise<Required<Codec>> {
  const codec = zstd({ implementation: 'native' })
  const frame = await codec.compress(new Uint8Array(1))
  await codec.decompress(frame, { size: 1 })

  return codec as Required<Codec>
}

/** What libzstd makes in a context of its own. */
function inNewContext (bytes: Uint8Array, options: ZstdOptions): Uint8Array {
  const { byteLength: size } = bytes

  return new Uint8Array(zstdCompressSync(bytes, { pledgedSrcSize: size, chunkSize: 1024 + 2 * size, ...options }))
}

afterEach(() => { vi.restoreAllMocks() })

const inputs = fc.record({
  make: fc.constantFrom(text, noise, (size: number) => new Uint8Array(size)),
  size: fc.oneof(
    fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 300 * KIB }), fc.integer({ min: 1, max: 2048 * KIB })
  ),
  seed: fc.integer({ min: 1, max: 1e6 }),
  level: fc.constantFrom(1, 2, 3, 3, 3, 4, 9)
})

describe('zstd, at once', () => {
  it('makes the frames of new contexts, whatever was compressed before', { tags: 'slow' }, async () => {
    const codec = await loaded()

    fc.assert(fc.property(fc.array(inputs, { maxLength: 12 }), files => {
      for (const { make, size, seed, level } of files) {
        const bytes = make(size, seed)
        const frame = codec.compressSync(bytes, level)

        const params = { [constants.ZSTD_c_compressionLevel]: level }

        expect(Buffer.compare(frame as Uint8Array, inNewContext(bytes, { params }))).toBe(0)
        expect(Buffer.compare(codec.decompressSync(frame as Uint8Array, size) as Uint8Array, bytes)).toBe(0)
      }
    }), { numRuns: 60 })
  })

  it('makes the frames of the asynchronous way', async () => {
    const codec = await loaded()

    for (const size of [1, 63, 64, 65, 1000, 16 * KIB + 1, 64 * KIB, 64 * KIB + 1, 2 * BLOCK + 1, 4 * BLOCK - 1]) {
      for (const level of [1, 3, 7, 19]) {
        const bytes = text(size)
        expect(codec.compressSync(bytes, level), `${size}, ${level}`).toEqual(await codec.compress(bytes, { level }))
      }
    }
  })

  it('makes the frames of the asynchronous way of large pieces, and of whole blocks', async () => {
    const codec = await loaded()

    for (const size of [0, BLOCK, 3 * BLOCK, 4 * BLOCK, 4 * BLOCK + 1, 1024 * KIB, 1024 * KIB + 3, 4096 * KIB]) {
      for (const [make, level] of [[text, 1], [text, 3], [noise, 3], [text, 5]] as const) {
        const bytes = make(size)
        const frame = await codec.compress(bytes, { level })
        expect(Buffer.compare(codec.compressSync(bytes, level) as Uint8Array, frame), `${size}, ${level}`).toBe(0)
      }
    }
  })

  it('leaves to others what is not loaded', async () => {
    const codec = await loaded()

    expect(zstd().compressSync?.(text(100), 3)).toBeUndefined()
    expect(zstd().decompressSync?.(codec.compressSync(text(100), 3) as Uint8Array, 100)).toBeUndefined()
  })

  it('is for native zstd alone', async () => {
    const others = [zstd({ deterministic: true }), ...allCodecs().filter(({ name }) => name !== 'zstd')]

    for (const codec of others) {
      const bytes = text(100)
      const frame = await codec.compress(bytes)
      await codec.decompress(frame, { size: 100 })
      expect(codec.compressSync?.(bytes, codec.levels.default), codec.name).toBeUndefined()
      expect(codec.decompressSync?.(frame, 100), codec.name).toBeUndefined()
    }
  })

  it('refuses a level that there is not', async () => {
    const codec = await loaded()

    expect(() => codec.compressSync(text(100), 23)).toThrow(expect.objectContaining({ name: 'InvalidLevelError' }))
  })

  it('refuses what is not one frame of so many bytes, and reads the next frame', async () => {
    const codec = await loaded()
    const bytes = text(5000)
    const frame = codec.compressSync(bytes, 3) as Uint8Array
    const wrong = [
      Buffer.concat([frame, frame]), frame.subarray(0, -1), new Uint8Array(0), frame.with(0, 0), noise(100)
    ]

    for (const bad of wrong) {
      expect(() => codec.decompressSync(bad, 5000)).toThrow(expect.objectContaining({ name: 'CorruptFrameError' }))
    }

    expect(() => codec.decompressSync(frame, 4999)).toThrow(expect.objectContaining({ name: 'CorruptFrameError' }))

    for (let at = 12; at < frame.byteLength; at += 7) {
      // the content is damaged: it is not decoded, or to something else
      try {
        codec.decompressSync(frame.with(at, frame[at] ^ 0x55), 5000)
      } catch {
        // or its blocks are
      }

      expect(Buffer.compare(codec.decompressSync(frame, 5000) as Uint8Array, bytes)).toBe(0)
    }
  })

  it.each([
    { windowLog: 14, most: 16 * KIB },
    // in tables of rows, which are salted
    { windowLog: 20, most: 120 * KIB }
  ])('makes the frame of zlib with a dictionary in a kept context of window $windowLog', ({ windowLog, most }) => {
    const memory = new Uint8Array(600 * KIB)
    const params = {
      [constants.ZSTD_c_compressionLevel]: 7,
      [constants.ZSTD_c_checksumFlag]: 1,
      [constants.ZSTD_c_windowLog]: windowLog
    }

    fc.assert(fc.property(fc.array(fc.record({
      seed: fc.integer({ min: 1, max: 30 }),
      dictionarySize: fc.integer({ min: 8, max: 512 * KIB }),
      start: fc.integer({ min: 0, max: 40 * KIB }),
      size: fc.integer({ min: 1, max: most })
    }), { minLength: 20, maxLength: 40 }), files => {
      for (const { seed, dictionarySize, start, size } of files) {
        // the same memory for all of them, as that of pools
        const dictionary = memory.subarray(0, dictionarySize)
        dictionary.set(text(dictionarySize, seed))
        const bytes = text(200 * KIB, seed).subarray(start, start + size)
        const kept = zstdCompressKeptDictionary(bytes, dictionary, params)

        expect(Buffer.compare(kept as Uint8Array, inNewContext(bytes, { params, dictionary }))).toBe(0)
      }
    }), { numRuns: 5 })
  })

  it('makes the same frames on the thread pool, where many take turns in contexts that are kept', async () => {
    const codec = zstd({ implementation: 'native' })
    const dictionary = text(400 * KIB, 7)
    const files = Array.from({ length: 40 }, (_, i) => text(65 * KIB + 9000 * i, i % 5))
    const expected: Uint8Array[] = []

    for (const bytes of files) {
      expected.push(await codec.compress(bytes, { level: 7, dictionary }))
      expect(Buffer.compare(
        await codec.decompress(expected[expected.length - 1], { size: bytes.byteLength, dictionary }), bytes
      )).toBe(0)
    }

    const made = await Promise.all(files.toReversed().map(async bytes =>
      codec.compress(bytes, { level: 7, dictionary })))

    expect(made.toReversed().map((frame, i) => Buffer.compare(frame, expected[i]))).toEqual(files.map(() => 0))
  })

  it('drops a context that failed, and makes the next frame in another one', () => {
    const { createZstdCompress } = zlib
    const made: Array<{ _handle: object }> = []
    vi.spyOn(zlib, 'createZstdCompress').mockImplementation(options => {
      const stream = createZstdCompress(options)
      made.push(stream as unknown as { _handle: object })

      return stream
    })
    const params = { [constants.ZSTD_c_compressionLevel]: 7, [constants.ZSTD_c_windowLog]: 13 }
    const [dictionary, bytes] = [text(5000, 99), text(3000, 99)]
    const compress = (): Uint8Array | undefined => zstdCompressKeptDictionary(bytes, dictionary, params)
    const frame = compress()

    expect(frame).toEqual(inNewContext(bytes, { params, dictionary }))
    const count = made.length
    // a call that fails leaves what says so
    // oxlint-disable-next-line no-underscore-dangle -- the name of Node
    Object.assign(made.at(-1)?._handle ?? {}, { writeSync () {} })
    expect(compress()).toBeUndefined()
    expect(compress()).toEqual(frame)
    expect(made).toHaveLength(count + 1)
  })

  it('leaves dictionaries to others in a runtime with other streams', async () => {
    const { createZstdCompress } = zlib
    vi.resetModules()
    vi.spyOn(zlib, 'createZstdCompress').mockImplementation(options =>
      Object.assign(createZstdCompress(options), { _writeState: undefined }))
    const { zstdCompressKeptDictionary } = await import('../src/platform/zstd-contexts.ts')

    expect(zstdCompressKeptDictionary(text(100), text(50), {})).toBeUndefined()
  })
})
