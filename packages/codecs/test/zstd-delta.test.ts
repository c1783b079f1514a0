import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeltaModule } from '../src/delta/delta-module.ts'
import { checkFrame } from '../src/delta/frame-check.ts'
import { readDelta } from '../src/delta/read-delta.ts'
import { xxh64Low } from '../src/format/checksums/xxh64.ts'
import { DeltaCompressor } from '../src/zstd-delta.ts'
import { ALL, concat, label, noise, random, same, text, toHex } from './fixtures.ts'
import type * as deltaModule from '../src/delta/delta-module.ts'
import type { Delta } from '../src/zstd-delta.ts'

const KIB = 1024
/** A module that has loaded nothing yet. */
const FRESH_MODULE = '../src/delta/delta-module.ts?fresh'
const WRONG = { name: 'WrongFrameError', codec: 'zstd' }
const readers = ALL.filter(({ name }) => name === 'zstd')
const compressor = await createCompressor()

async function createCompressor (): Promise<DeltaCompressor> {
  const created = await DeltaCompressor.create()

  if (created == null) {
    throw new Error('there is no WebAssembly')
  }

  return created
}

/** What changed. Every reader has read its frame with nothing but the part of the dictionary that it names. */
async function read (content: Uint8Array, dictionary: Uint8Array): Promise<Delta | undefined> {
  const delta = compressor.compress(content, { dictionary, maxChanged: Infinity })
  await delta?.checked

  if (delta != null) {
    const part = dictionary.subarray(delta.start, delta.end)
    expect(same(await readDelta(delta.frame, content.byteLength, part) ?? content, content)).toBe(true)
  }

  for (const reader of delta == null ? [] : readers) {
    const part = dictionary.slice(delta?.start, delta?.end)
    const back = await reader.decompress(delta?.frame ?? part, { size: content.byteLength, dictionary: part })
    expect(same(back, content), label(reader)).toBe(true)
  }

  return delta
}

async function compress (content: Uint8Array, dictionary: Uint8Array): Promise<Uint8Array> {
  const delta = await read(content, dictionary)

  if (delta == null) {
    throw new Error('there is no frame')
  }

  return delta.frame
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

  it('finds parts of new rows of a table in rows that are far away', async () => {
    const next = random(11)
    const words = Array.from({ length: 300 }, () => `${next() % 10 ** 8}`)
    const word = (): string => words[next() % 300]
    const row = (): string => `{"name":"${word()} ${word()}","tag":"${word()}"}\n`
    const rows = (count: number): Uint8Array => new TextEncoder().encode(Array.from({ length: count }, row).join(''))
    const table = rows(6000)
    const frame = await compress(concat(table, rows(200)), table)

    // of each row, the three words: found only around a change, they take eleven bytes
    expect(frame.byteLength).toBeLessThan(200 * 9)
  })

  it('takes next to nothing for content that is the dictionary, or a part of it', async () => {
    const bytes = noise(700 * KIB)

    expect((await compress(bytes, bytes)).byteLength).toBeLessThan(100)
    expect((await compress(bytes.subarray(100_001, 300_000), bytes)).byteLength).toBeLessThan(60)
  })

  it('reads back if all copies are as short as they may be', async () => {
    const bytes = noise(200 * KIB)

    for (const step of [5, 6, 17, 18, 33]) {
      await read(bytes.map((byte, i) => i > 100 && i % step === 0 ? byte ^ 1 : byte), bytes)
    }
  })

  it('reads back, whatever the content and the dictionary are', async () => {
    const parts = fc.array(fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.nat({ max: 5 }).map(seed => text(500, seed)),
      fc.nat({ max: 300 }).map(length => new Uint8Array(length))
    ), { minLength: 1, maxLength: 12 })

    await fc.assert(fc.asyncProperty(parts, parts, async (one, other) => {
      const dictionary = concat(...one)
      const content = concat(Uint8Array.of(1), ...other)
      await read(content, dictionary)
    }), { numRuns: 300 })
  })

  it('says what it refers back to, and where the content goes on', async () => {
    const bytes = noise(300 * KIB)
    const delta = await read(concat(bytes.subarray(1000, 90_000), text(50), bytes.subarray(95_000, 200_000)), bytes)

    expect(delta).toMatchObject({ start: 1000, end: 200_000, next: 200_000 })
    expect(delta?.sameAt).toBeUndefined()
    await expect(read(bytes.subarray(1000, 90_000), bytes)).resolves
      .toMatchObject({ start: 1000, end: 90_000, next: 90_000, sameAt: 1000 })
    // what was deleted at the end is not known
    await expect(read(concat(bytes.subarray(0, 90_000), text(7)), bytes)).resolves
      .toMatchObject({ start: 0, end: 90_000, next: 90_007 })
  })

  it('refers back to nothing that looks like a trained dictionary', async () => {
    const bytes = concat(text(500), Uint8Array.of(0x37, 0xa4, 0x30, 0xec), noise(100 * KIB))

    await expect(read(bytes.subarray(500), bytes)).resolves.toMatchObject({ start: 499, end: bytes.byteLength })
    await expect(read(bytes.subarray(500), bytes.subarray(500))).resolves.toBeUndefined()
  })

  it('compresses content that is shorter than the smallest buffer of zlib', async () => {
    const bytes = noise(1000)

    for (const size of [16, 62, 63, 64]) {
      await compress(bytes.subarray(0, size), bytes)
    }
  })

  it('makes no frame of content that has nothing of the dictionary', async () => {
    await expect(read(noise(1000), text(1000))).resolves.toBeUndefined()
    await expect(read(text(1000), new Uint8Array(0))).resolves.toBeUndefined()
    await expect(read(concat(text(500), text(500)), noise(500))).resolves.toBeUndefined()
  })

  it('is the same for the same bytes, whatever was compressed before', async () => {
    const [large, small] = [noise(600 * KIB), text(90 * KIB)]
    const content = edit(small, 20, 5)
    const first = await compress(content, small)
    await compress(edit(large, 20, 6), large)
    const fresh = await createCompressor()

    expect(same(await compress(content, small), first)).toBe(true)
    expect(fresh.compress(content, { dictionary: small, maxChanged: Infinity })?.frame).toEqual(first)
  })

  it('makes the same frame on every platform', () => {
    const dictionary = text(20_000)
    const content = concat(
      dictionary.subarray(0, 5000), text(150, 8), dictionary.subarray(5100, 12_000), noise(9),
      dictionary.subarray(2000, 3000)
    )

    // a version that is added again gets the CID that it had: if these bytes change, say so in the changelog
    expect(toHex(compressor.compress(content, { dictionary, maxChanged: 1000 })?.frame ?? new Uint8Array(0))).toBe(
      '28b52ffd6403326400000200020610f00100c2070100' +
      'a50400f2891f1d41d3ce01bfb588be6fa593544d97a87eeda43b893374f3c525bf1d0e49724028080c07c03bd0' +
      '0e58673190f88894eb7555dbf0bb79256d4bb27fc8e25526be281af3dd271d461e797772f9948712ec076e4c6748e10d93b24094' +
      '7e21bfb9ac5d3549d7abee26c936da7a1784524ea1f2ceda49f628267c1c2d3bb710140300e55d2c561d4bbc56bcda4be18cbbbe' +
      '0601eb337597'
    )
  })

  it('makes no frame if more changed than it may', async () => {
    const bytes = noise(100 * KIB)
    const content = concat(bytes.subarray(0, 50 * KIB), text(2000), bytes.subarray(50 * KIB), text(1000, 2))
    const compressed = (maxChanged: number): Delta | undefined =>
      compressor.compress(content, { dictionary: bytes, maxChanged })

    expect(compressed(3000)).toBeDefined()
    expect(compressed(2999)).toBeUndefined()
    expect(compressed(1999)).toBeUndefined()
    expect(compressor.compress(noise(100), { dictionary: text(100), maxChanged: 99 })).toBeUndefined()
  })

  it('makes no frame of more bytes than it may have', () => {
    const bytes = noise(100 * KIB)
    const content = concat(bytes.subarray(0, 50 * KIB), noise(500, 2), bytes.subarray(50 * KIB))
    const length = (maxLength: number): number | undefined =>
      compressor.compress(content, { dictionary: bytes, maxChanged: Infinity, maxLength })?.frame.byteLength
    const whole = length(Infinity) ?? 0

    expect(whole).toBeGreaterThan(500)
    expect(length(whole)).toBe(whole)
    expect(length(whole - 1)).toBeUndefined()
  })

  it('makes no frame if that would take too much memory', async () => {
    const small = text(1000)
    const huge = { byteLength: 64 * 1024 * KIB + 1 } as unknown as Uint8Array

    expect(compressor.compress(small, { dictionary: huge, maxChanged: 100 })).toBeUndefined()
    expect(compressor.compress(small, { dictionary: small, maxChanged: 100 })).toBeDefined()
  })

  it('is left to others where there is no WebAssembly', async () => {
    vi.stubGlobal('WebAssembly', undefined)

    await expect(DeltaCompressor.create()).resolves.toBeUndefined()
  })
})

/** Whether a position is in the mark, after a header of 9 bytes. Changed or not, the mark decodes to nothing. */
function isMark (at: number): boolean {
  return at >= 9 && at < 24
}

describe('a frame of what changed', () => {
  const bytes = noise(70_000)
  const content = bytes.subarray(7)

  it('is decoded: a wrong one is refused', async () => {
    const frame = await compress(content, bytes)
    const module = await DeltaModule.load()
    const checksum = xxh64Low(content)

    const check = async (tried: Uint8Array, { of = content, dictionary = bytes.subarray(7) } = {}): Promise<void> => {
      if (module != null) {
        await checkFrame(module, { frame: tried, content: of, dictionary })
      }
    }

    const begin = (some: Uint8Array): void => {
      const room = module?.reserve(bytes.byteLength, some.byteLength)
      room?.set(bytes)
      room?.set(some, bytes.byteLength)
    }

    begin(content)
    expect(module?.checksum()).toBe(checksum)
    await check(frame)

    for (let at = 0; at < frame.byteLength; at++) {
      const error: unknown = await check(frame.with(at, frame[at] ^ 1)).catch((err: unknown) => err)
      expect(error ?? (isMark(at) ? WRONG : undefined), `byte ${at}`).toMatchObject(WRONG)
    }

    await expect(check(frame, { dictionary: bytes.subarray(0, -7) })).rejects.toMatchObject(WRONG)
    await expect(check(frame, { of: content.subarray(0, -1) })).rejects.toMatchObject(WRONG)
    await expect(check(concat(frame, Uint8Array.of(0)))).rejects.toMatchObject(WRONG)
    // with other content, the checksum alone is right
    begin(bytes.subarray(0, -7))
    await expect(check(frame, { of: bytes.subarray(0, -7) })).rejects.toMatchObject(WRONG)
  })

  it('is refused if it is damaged', async () => {
    const frame = await compress(content, bytes)
    const dictionary = bytes.subarray(7)

    for (let at = 0; at < frame.byteLength; at++) {
      const wrong = frame.with(at, frame[at] ^ 1)
      const result: unknown = await readDelta(wrong, content.byteLength, dictionary).catch((err: unknown) => err)

      if (!isMark(at) || result instanceof Error) {
        expect(result, `byte ${at}`).toMatchObject({ name: 'CorruptFrameError' })
      } else {
        expect(result, `byte ${at}`).toEqual(content)
      }
    }
  })

  it('is left to others if it is large, as it is or decompressed, or its dictionary is', async () => {
    const frame = await compress(content, bytes)
    const large = 1024 * KIB

    await expect(readDelta(frame, content.byteLength, bytes.subarray(7))).resolves.toEqual(content)
    await expect(readDelta(frame, 32 * frame.byteLength - 1, bytes)).resolves.toBeUndefined()
    await expect(readDelta(frame, large + 1, bytes)).resolves.toBeUndefined()
    await expect(readDelta(frame, large, new Uint8Array(2 * large + 1))).resolves.toBeUndefined()
  })

  it('is left to others while what reads it cannot be loaded', async () => {
    const { DeltaModule } = await import(/* @vite-ignore */ FRESH_MODULE) as typeof deltaModule
    const load = vi.spyOn(DeltaModule, 'load')
    load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'))

    await expect(DeltaModule.shared()).resolves.toBeUndefined()
    await expect(DeltaModule.shared()).resolves.toBeInstanceOf(DeltaModule)
    expect(await DeltaModule.shared()).toBe(await DeltaModule.shared())
    load.mockRestore()
  })

  it('says so if it would not decode, and others do', async () => {
    const encode = vi.spyOn(DeltaModule.prototype, 'encode')
    const options = { dictionary: bytes, maxChanged: 100 }
    encode.mockImplementationOnce(function (this: DeltaModule, maxRest) {
      const delta = this.encode(maxRest)

      return delta && { ...delta, frame: delta.frame.map((byte, i) => i === 9 ? byte ^ 1 : byte) }
    })

    await expect(compressor.compress(content, options)?.checked).rejects.toMatchObject(WRONG)
    await expect(compressor.compress(content, options)?.checked).resolves.toBeUndefined()
    encode.mockRestore()
  })

  it('is checked although another one is made at once', async () => {
    const all = Array.from({ length: 5 }, (_, i) => bytes.subarray(i * 1000))
    const deltas = all.map(some => compressor.compress(some, { dictionary: bytes, maxChanged: 100 }))

    await Promise.all(deltas.map(delta => delta?.checked))
    expect(deltas).not.toContain(undefined)
  })

  it.each([0, 1, 3, 4, 7, 8, 11, 31, 32, 33, 64, 71, 1000, 70_001])('has the checksum of %i bytes', async length => {
    const module = await DeltaModule.load()
    const some = noise(length)
    module?.reserve(length % 16, length)?.set(some, length % 16)

    expect(module?.checksum()).toBe(xxh64Low(some))
  })
})
