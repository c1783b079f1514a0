import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { ALL, concat, label, NAMES, noise, random, same, TABLE, text, toHex, WRITERS } from './fixtures.ts'

const MIB = 1024 * 1024

describe.each(WRITERS.map(codec => [label(codec), codec] as const))('%s', (_, writer) => {
  const readers = ALL.filter(codec => codec.name === writer.name)

  const expectRoundTrip = async (bytes: Uint8Array): Promise<void> => {
    const frame = await writer.compress(bytes)

    for (const reader of readers) {
      const back = await reader.decompress(frame, { size: bytes.byteLength })
      expect(same(back, bytes), label(reader)).toBe(true)
    }
  }

  it.each([
    ['one byte', text(1)],
    ['65,536 bytes of text', text(65536)],
    ['65,537 bytes of text', text(65537)],
    ['a megabyte of zeros', new Uint8Array(1_000_000)]
  ])('round-trips %s with every reader', async (_, bytes) => expectRoundTrip(bytes))

  it.each([
    ['4 MiB of text', text(4 * MIB)],
    ['5,000,001 bytes of noise', noise(5_000_001)],
    ['16 MiB of zeros', new Uint8Array(16 * MIB)]
  ])('round-trips %s with every reader', { tags: 'slow' }, async (_, bytes) => expectRoundTrip(bytes))

  it('round-trips noise of every small length, with and without trailing zeros, with every reader', {
    tags: 'slow'
  }, async () => {
    for (let length = 0; length <= 300; length++) {
      for (const bytes of [noise(length), concat(noise(length), new Uint8Array(length))]) {
        const frame = await writer.compress(bytes)

        for (const reader of readers) {
          expect(
            same(await reader.decompress(frame, { size: bytes.byteLength }), bytes),
            `${label(reader)}, ${length} bytes`
          ).toBe(true)
        }
      }
    }
  })

  it('shrinks text at every level', { tags: 'slow' }, async () => {
    const bytes = text(100_000)

    for (let level = writer.levels.min; level <= writer.levels.max; level++) {
      const frame = await writer.compress(bytes, { level })
      expect(frame.byteLength).toBeLessThan(70_000)
      expect(same(await codecs[writer.name]().decompress(frame, { size: bytes.byteLength }), bytes)).toBe(true)
    }
  })

  it('barely expands noise', async () => {
    const frame = await writer.compress(noise(MIB))
    expect(frame.byteLength).toBeLessThan(MIB * 1.01)
  })

  it('returns plain Uint8Arrays', async () => {
    const frame = await writer.compress(text(1000))
    expect(frame.constructor).toBe(Uint8Array)

    for (const reader of readers) {
      expect((await reader.decompress(frame, { size: 1000 })).constructor, label(reader)).toBe(Uint8Array)
    }
  })

  it('refuses more than 16 MiB', async () => {
    await expect(async () => writer.compress(new Uint8Array(16 * MIB + 1)))
      .rejects.toMatchObject({ name: 'FrameTooLargeError', size: 16 * MIB + 1, max: 16 * MIB })
  })

  it.each([-1, 99, 1.5, Number.NaN])('refuses the level %d', async (level) => {
    await expect(async () => writer.compress(text(10), { level }))
      .rejects.toMatchObject({
        name: 'InvalidLevelError',
        codec: writer.name,
        level,
        min: writer.levels.min,
        max: writer.levels.max
      })
  })
})

describe.each(ALL.map(codec => [label(codec), codec] as const))('the decoder of %s', (_, reader) => {
  const bytes = text(70_000)
  const frame = (async () => codecs[reader.name]().compress(bytes))()
  const size = bytes.byteLength

  it('refuses a frame cut short anywhere', async () => {
    const whole = await frame
    const lengths = [
      ...Array(20).keys(),
      ...Array.from({ length: 40 }, (_, i) => Math.floor(whole.byteLength * i / 40)),
      whole.byteLength - 1
    ]

    for (const length of lengths) {
      await expect(async () => reader.decompress(whole.subarray(0, length), { size }), `${length} bytes`)
        .rejects.toMatchObject({ name: 'CorruptFrameError', codec: reader.name })
    }
  })

  it('refuses a size other than that of the frame', async () => {
    for (const wrong of [0, 1, size - 1, size + 1, 2 * size]) {
      await expect(async () => reader.decompress(await frame, { size: wrong }), `${wrong} bytes`)
        .rejects.toMatchObject({ name: 'CorruptFrameError', codec: reader.name })
    }
  })

  it('refuses a size that is not a whole number from 0 to 16 MiB', async () => {
    for (const wrong of [16 * MIB + 1, 2 ** 40, -1, 0.5, Number.NaN]) {
      await expect(async () => reader.decompress(await frame, { size: wrong }))
        .rejects.toMatchObject({ name: 'FrameTooLargeError' })
    }
  })

  it('refuses the frames of every other codec', async () => {
    for (const name of NAMES.filter(name => name !== reader.name)) {
      const other = await codecs[name]().compress(bytes)
      await expect(async () => reader.decompress(other, { size }), name)
        .rejects.toMatchObject({ name: 'CorruptFrameError' })
    }
  })

  it('refuses a bomb of 16 MiB that should hold 1,000 bytes', async () => {
    const bomb = await codecs[reader.name]().compress(new Uint8Array(16 * MIB))
    await expect(async () => reader.decompress(bomb, { size: 1000 }))
      .rejects.toMatchObject({ name: 'CorruptFrameError' })
  })

  it('refuses a frame with a flipped bit, or decodes it to the requested size', { tags: 'slow' }, async () => {
    const whole = await frame
    const next = random(7)

    for (let i = 0; i < 300; i++) {
      const flipped = whole.slice()
      // headers, which matter most, are at the front
      const position = i % 2 === 0 ? next() % 32 : next() % flipped.byteLength
      flipped[position] ^= 1 << next() % 8

      const outcome = await Promise.resolve(
        reader.decompress(flipped, { size })
      ).then(bytes => bytes.byteLength, (err: Error) => err.name)
      expect([size, 'CorruptFrameError']).toContain(outcome)
    }
  })

  it('refuses noise', async () => {
    for (let seed = 1; seed < 50; seed++) {
      await expect(async () => reader.decompress(noise(200, seed), { size }))
        .rejects.toMatchObject({ name: 'CorruptFrameError' })
    }
  })

  it('refuses bytes after the frame', async () => {
    const whole = await frame

    for (const tail of [Uint8Array.of(0), text(100), whole]) {
      await expect(async () => reader.decompress(concat(whole, tail), { size }))
        .rejects.toMatchObject({ name: 'CorruptFrameError' })
    }
  })
})

describe('a frame as specified in docs/format.md, section 4,', () => {
  const bytes = text(100_000)

  it('has a content size and no checksum with zstd', async () => {
    for (const writer of WRITERS.filter(codec => codec.name === 'zstd')) {
      const frame = await writer.compress(bytes)
      expect(toHex(frame.subarray(0, 4))).toBe('28b52ffd')
      expect(frame[4] >> 6, 'content size flag').toBe(2)
      expect(frame[4] & 0b111, 'checksum and dictionary').toBe(0)
    }
  })

  it('has mtime 0, OS 255 and the subfield IZ with gzip', async () => {
    for (const writer of WRITERS.filter(codec => codec.name === 'gzip')) {
      const frame = await writer.compress(bytes)
      expect(toHex(frame.subarray(0, 16))).toBe('1f8b08040000000000ff0400495a0000')
    }
  })

  it('has a content size and independent blocks with lz4', async () => {
    const frame = await codecs.lz4().compress(bytes)
    expect(toHex(frame.subarray(0, 14))).toBe('04224d186850a086010000000000')
  })

  it('begins with the stream identifier with snappy', async () => {
    const frame = await codecs.snappy().compress(bytes)
    expect(toHex(frame.subarray(0, 10))).toBe('ff060000734e61507059')
  })
})

describe('a codec', () => {
  it('uses its first available implementation', () => {
    for (const name of NAMES) {
      expect(codecs[name]().implementation).toBe(TABLE[name].find(entry => entry.available())?.name)
    }
  })

  it('refuses an implementation that it does not have', () => {
    expect(() => codecs.lzo({ implementation: 'native' }))
      .toThrow(expect.objectContaining({ name: 'MissingImplementationError', codec: 'lzo', implementation: 'native' }))
  })

  it('refuses to compress with an implementation that only decompresses', async () => {
    await expect(async () => codecs.zstd({ implementation: 'js' }).compress(text(10)))
      .rejects.toMatchObject({ name: 'MissingImplementationError', codec: 'zstd', implementation: 'js' })
  })
})
