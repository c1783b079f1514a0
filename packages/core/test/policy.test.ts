import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { isCompressedType } from '../src/policy/detector.ts'
import { applyFilters } from '../src/filters/filters.ts'
import { decide, isGain } from '../src/policy/policy.ts'
import { noise, same, text } from './fixtures.ts'
import type { Codec } from '@ipfsz/codecs'

/** A file with the first bytes of a format, followed by noise. */
function file (hex: string, offset = 0): Uint8Array {
  return Buffer.concat([Buffer.alloc(offset), Buffer.from(hex.replaceAll(' ', ''), 'hex'), noise(3000)])
}

describe('isCompressedType', () => {
  it.each([
    ['jpeg', file('ffd8ffe000104a46494600')],
    ['png', file('89504e470d0a1a0a 0000000d49484452 00000001000000010806000000 1f15c489')],
    ['gif', file('474946383961')],
    ['webp', file('52494646 24000000 57454250 56503820')],
    ['zip', file('504b0304 1400000008000000000000000000000000000000000004000000 612e7478')],
    ['gzip', file('1f8b0800000000000003')],
    ['zstd', file('28b52ffd')],
    ['xz', file('fd377a585a00')],
    ['7z', file('377abcaf271c0004')],
    ['bzip2', file('425a6839314159265359')],
    ['mp4', file('00000020 66747970 69736f6d 00000200 69736f6d')],
    ['mp3', file('494433 0300 00 00000000 fffb9064')],
    ['ogg', file('4f676753 0002 0000000000000000 00000000 00000000 00000000 01 1e 01766f72626973')],
    ['webm', file('1a45dfa3 9f4286810142f7810142f2810442f381084282847765626d')],
    ['flac', file('664c614300000022')],
    ['woff2', file('774f46320001000000000000')],
    ['a GIF without control characters', Buffer.concat([Buffer.from('GIF89a'), new Uint8Array(5000).fill(0xbf)])]
  ])('detects %s', async (_, bytes) => {
    expect(await isCompressedType(bytes)).toBe(true)
  })

  it.each([
    ['text', text(5000)],
    [
      'text that begins like a GIF',
      Buffer.from(`GIF89a was the last of its kind.\n${'Nothing came behind it.\n'.repeat(300)}`)
    ],
    ['text in UTF-8 that begins like a GIF, and is cut within a character', Buffer.from(`GIF89a ${'€'.repeat(2000)}`)],
    ['noise', noise(5000)],
    ['an empty file', new Uint8Array(0)],
    ['wav', file('52494646 24080000 57415645 666d7420')],
    ['bmp', file('424d')],
    ['sqlite', file('53514c69746520666f726d6174203300')],
    ['tar', file('7573746172', 257)],
    ['pdf', file('255044462d312e37')]
  ])('leaves %s to the trial compression', async (_, bytes) => {
    expect(await isCompressedType(bytes)).toBe(false)
  })
})

describe('decide', () => {
  it('compresses a piece once, with its filters', async () => {
    const piece = text(100_000)
    const given: Uint8Array[] = []
    const codec: Codec = {
      ...zstd(),
      async compress (bytes) {
        given.push(bytes)
        return bytes.subarray(0, 1000)
      }
    }
    const named = { codec, level: 3, basedLevels: [7] }
    const filters = [{ kind: 'delta', width: 1 }] as const
    const compression = { detect: true, named, choose: async () => named, chooseFilters: async () => filters }
    const { trial, ...decision } = await decide({ bytes: piece }, compression)

    expect(decision).toMatchObject({ reason: 'trial', filters })
    expect(given).toHaveLength(1)
    expect(same(given[0], applyFilters(piece, filters))).toBe(true)
    expect(same(trial?.bytes as Uint8Array, applyFilters(piece, filters).subarray(0, 1000))).toBe(true)
  })
})

/** Decides about 200,000 bytes. Returns how many bytes the codec was given each time. */
async function decideAided (
  alone: (size: number) => number,
  known: { isAided?: boolean } = {}
): Promise<{ based?: boolean, given: number[] }> {
  const given: number[] = []
  const codec: Codec = {
    ...zstd(),
    dictionaries: true,
    async compress (bytes, { dictionary } = {}) {
      given.push(bytes.byteLength)
      return new Uint8Array(dictionary == null ? alone(bytes.byteLength) : 4000)
    }
  }
  const named = { codec, level: 3, basedLevels: [3] }
  const piece = { bytes: text(200_000), region: { offset: 0, length: 1000 }, dictionary: text(1000), ...known }
  const { based } = await decide(piece, { detect: true, named, choose: async () => named })

  return { ...based == null ? {} : { based }, given }
}

describe('decide, on a piece with a base', () => {
  it('compresses it with the base alone if that is known to help', async () => {
    await expect(decideAided(size => size, { isAided: true })).resolves.toEqual({ based: true, given: [200_000] })
  })

  it('compresses it once, at the fastest level, if it is the base', async () => {
    const levels: unknown[] = []
    const codec: Codec = {
      ...zstd(),
      async compress (bytes, options) {
        levels.push(options?.level)
        return bytes.subarray(0, 20)
      }
    }
    const named = { codec, level: 19, basedLevels: [19] }
    const bytes = text(200_000)
    const piece = { bytes, region: { offset: 0, length: bytes.byteLength }, dictionary: bytes.slice() }

    const decision = await decide(piece, { detect: true, named, choose: async () => named })
    expect(decision.based).toBe(true)
    expect(levels).toEqual([1])
  })

  it('compresses it once if a part takes more without the base than all of it with the base', async () => {
    await expect(decideAided(size => size / 10)).resolves.toEqual({ based: true, given: [200_000, 65_536] })
  })

  it('compresses it a second time, without its base, if a part does not tell', async () => {
    await expect(decideAided(size => size / 40)).resolves.toEqual({ based: true, given: [200_000, 65_536, 200_000] })
    await expect(decideAided(size => size / 50)).resolves.toEqual({ based: false, given: [200_000, 65_536, 200_000] })
  })
})

/** Decides about noise. Returns what the codec made. */
async function decideNoise (toFrame: (bytes: Uint8Array) => Uint8Array): Promise<Uint8Array[]> {
  const piece = noise(100_000)
  const copy = piece.slice()
  const frames: Uint8Array[] = []
  const codec: Codec = {
    ...zstd(),
    async compress (bytes) {
      frames.push(toFrame(bytes))
      return frames[frames.length - 1]
    }
  }
  const named = { codec, level: 3, basedLevels: [7] }
  const decision = await decide({ bytes: piece }, { detect: true, named, choose: async () => named })

  expect(decision).toEqual({ reason: 'trial' })
  expect(same(piece, copy)).toBe(true)

  return frames
}

describe('decide, on a file that does not shrink', () => {
  it('frees the memory of the trial', async () => {
    const frames = await decideNoise(bytes => bytes.slice())

    expect(frames.map(({ byteLength }) => byteLength)).toEqual([0])
  })

  it('keeps the memory of the file if the codec returned it', async () => {
    const frames = await decideNoise(bytes => bytes)

    expect(frames.map(({ byteLength }) => byteLength)).toEqual([100_000])
  })
})

describe('isGain', () => {
  it('requires a gain of at least 5 %, root block included', () => {
    expect(isGain(1_000_000, 900_000)).toBe(true)
    expect(isGain(1_000_000, 949_000)).toBe(true)
    expect(isGain(1_000_000, 950_000)).toBe(false)
    expect(isGain(1_000_000, 1_000_001)).toBe(false)
    // a small file saves less than its root block takes
    expect(isGain(100, 60)).toBe(false)
    expect(isGain(1000, 600)).toBe(true)
  })
})
