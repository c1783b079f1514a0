import { allCodecs } from '@ipfsz/codecs/all'
import { describe, expect, it } from 'vitest'
import { codecLevels } from '../src/bench/codec-levels.ts'

const codecs = allCodecs()

function labels (options: Parameters<typeof codecLevels>[1]): string[] {
  return codecLevels(codecs, options).map(({ label }) => label)
}

describe('codecLevels', () => {
  it('returns all codecs in their order by default, each with its lowest, default and highest level', () => {
    const found = codecLevels(codecs)

    expect([...new Set(found.map(({ codec }) => codec.name))]).toEqual(codecs.map(({ name }) => name))

    for (const { name, levels } of codecs) {
      const ofCodec = found.filter(({ codec }) => codec.name === name).map(({ level }) => level)

      expect(ofCodec).toEqual(expect.arrayContaining([Math.max(levels.min, 1), levels.default, levels.max]))
      expect(ofCodec).toEqual([...new Set(ofCodec)].toSorted((a, b) => a - b))
      expect(ofCodec.length).toBeLessThanOrEqual(5)
    }
  })

  it.each([
    ['zstd', ['zstd 1', 'zstd 3', 'zstd 9', 'zstd 19']],
    ['gzip', ['gzip 1', 'gzip 6', 'gzip 9']],
    ['brotli', ['brotli 1', 'brotli 4', 'brotli 9', 'brotli 11']],
    ['lz4', ['lz4']]
  ])('returns a few levels of %s', (name, expected) => {
    expect(labels({ names: [name] })).toEqual(expected)
  })

  it('returns the given levels, each once and in order', () => {
    expect(labels({ names: ['zstd'], levels: [5, 2, 5] })).toEqual(['zstd 2', 'zstd 5'])
  })

  it('returns only levels that a codec has', () => {
    expect(labels({ levels: [10] })).toEqual(['zstd 10', 'brotli 10'])
    expect(labels({ names: ['zstd', 'gzip'], levels: [6, 12] })).toEqual(['zstd 6', 'zstd 12', 'gzip 6'])
  })

  it('refuses a codec that does not exist', () => {
    expect(() => codecLevels(codecs, { names: ['zstd', 'lzma'] }))
      .toThrow(expect.objectContaining({ name: 'UnknownCodecError' }))
  })

  it('refuses levels when a given codec has none of them', () => {
    expect(() => codecLevels(codecs, { names: ['zstd', 'gzip'], levels: [12] }))
      .toThrow(expect.objectContaining({ name: 'InvalidLevelError', codec: 'gzip', level: 12 }))
  })

  it('refuses levels that no codec has', () => {
    expect(() => codecLevels(codecs, { levels: [99] }))
      .toThrow(expect.objectContaining({ name: 'InvalidLevelError', level: 99 }))
  })
})
