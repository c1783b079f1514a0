import { describe, expect, it } from 'vitest'
import { addCommand } from '../src/bench/advice.ts'
import { choose } from '../src/bench/choose.ts'
import { estimate, secondsOver } from '../src/bench/estimate.ts'
import { Clock, fakeCodecLevel, fakeRow } from './bench-fakes.ts'

const MEASURED = {
  ratio: 0.4,
  compress: 2e6,
  decompress: 1e9,
  rounds: 3,
  margin: 0,
  frameRatios: [0.3, 0.4, 0.5, 0.4]
}
const NONE = fakeRow('none', undefined, 1, [8, 0.8, 0.08])

describe('secondsOver', () => {
  it('is the time to send when sending is the slowest step', () => {
    expect(secondsOver(10_000_000, { ratio: 0.5, compress: 1e9, decompress: 1e9 }))
      .toEqual({ '10 Mbit/s': 4, '100 Mbit/s': 0.4, '1 Gbit/s': 0.04 })
  })

  it('is the time to compress when compressing is the slowest step', () => {
    expect(secondsOver(10_000_000, { ratio: 0.5, compress: 20e6, decompress: 1e9 }))
      .toEqual({ '10 Mbit/s': 4, '100 Mbit/s': 0.5, '1 Gbit/s': 0.5 })
  })

  it('is the time to decompress when decompressing is the slowest step', () => {
    expect(secondsOver(10_000_000, { ratio: 0.5, compress: 1e9, decompress: 1e6 }))
      .toEqual({ '10 Mbit/s': 10, '100 Mbit/s': 10, '1 Gbit/s': 10 })
  })
})

describe('estimate', () => {
  const codecLevel = fakeCodecLevel(new Clock(), { name: 'zstd', level: 3 })

  it('begins with the uncompressed file', () => {
    expect(estimate([], 10_000_000, 5_000_000)).toEqual([expect.objectContaining({
      label: 'none', codec: 'none', ratio: 1, partial: false, seconds: {
        '10 Mbit/s': 8,
        '100 Mbit/s': 0.8,
        '1 Gbit/s': 0.08
      }
    })])
  })

  it('applies the figures of the sample to the whole file', () => {
    const [, row] = estimate(
      [{ ...MEASURED, codecLevel, size: 5_000_000, stored: 2_000_000 }],
      10_000_000,
      5_000_000
    )

    expect(row).toMatchObject({
      label: 'zstd 3',
      codec: 'zstd',
      level: 3,
      implementation: 'js',
      ratio: 0.4,
      measured: 5_000_000,
      partial: false
    })
    expect(row.seconds['100 Mbit/s']).toBe(5)
    expect(row.seconds['10 Mbit/s']).toBe(5)
  })

  it('marks a level that was measured on less than the sample as partial', () => {
    const [, row] = estimate(
      [{ ...MEASURED, codecLevel, size: 4_999_999, stored: 1 }],
      10_000_000,
      5_000_000
    )

    expect(row.partial).toBe(true)
  })

  it('says how far the ratio may be from that of all files, as far as the frames tell', () => {
    const measurement = { ...MEASURED, codecLevel, size: 5_000_000, stored: 2_000_000 }
    const marginOf = (part: object, size: number): number | undefined =>
      estimate([{ ...measurement, ...part }], size, 5_000_000)[1].margin

    expect(marginOf({}, 5_000_000)).toBe(0)
    // the standard error of four frames, a quarter of the file, times Student's t for three degrees of freedom
    expect(marginOf({}, 20_000_000)).toBeCloseTo(3.18 * Math.sqrt(0.02 / 3 / 4 * 0.75) / 0.4, 6)
    expect(marginOf({ margin: 0.1 }, 5_000_000)).toBeCloseTo(0.1, 6)
    expect(marginOf({ margin: undefined }, 5_000_000)).toBeUndefined()
    expect(marginOf({ frameRatios: [0.4] }, 20_000_000)).toBeUndefined()
  })
})

describe('choose', () => {
  it('takes the row with the least time over 100 Mbit/s', () => {
    const fast = fakeRow('zstd', 1, 0.4, [4, 0.4, 0.05])
    const best = fakeRow('zstd', 9, 0.3, [3, 0.3, 0.2])
    const slow = fakeRow('zstd', 19, 0.25, [2.5, 5, 5])

    const { row, smallest, fastLink, reason } = choose([NONE, fast, best, slow])

    expect(row).toBe(best)
    expect(smallest).toBe(slow)
    expect(fastLink).toBe(fast)
    expect(reason).toContain('300 ms instead of 800 ms')
    expect(reason).toContain('30.0 % of its size')
  })

  it.each([
    [0.315, 'small'],
    [0.316, 'quick']
  ])('takes the smallest file within 5 % of the least time: at %d s it takes the %s one', (seconds, codec) => {
    const quick = fakeRow('quick', 1, 0.4, [3, 0.3, 0.05])
    const small = fakeRow('small', 1, 0.3, [3, seconds, 0.2])

    expect(choose([NONE, quick, small]).row.codec).toBe(codec)
  })

  it('takes the faster of two rows of the same size, and the first of two equal rows', () => {
    const a = fakeRow('a', 1, 0.3, [3, 0.31, 0.1])
    const b = fakeRow('b', 1, 0.3, [3, 0.3, 0.1])

    expect(choose([NONE, a, b]).row).toBe(b)
    expect(choose([NONE, b, { ...b }]).row).toBe(b)
  })

  it('suggests nothing for fast links or for space when the chosen row is the best there too', () => {
    const only = fakeRow('zstd', 1, 0.4, [4, 0.4, 0.05])

    expect(choose([NONE, only])).toEqual({ row: only, reason: expect.any(String) })
  })

  it.each([
    [0.951, 'none'],
    [0.95, 'zstd']
  ])('takes none unless a codec saves 5 %: for a ratio of %d it takes %s', (ratio, codec) => {
    const { row, reason } = choose([NONE, fakeRow('zstd', 1, ratio, [7.6, 0.76, 0.07])])

    expect(row.codec).toBe(codec)
    expect(reason.includes('does not help')).toBe(codec === 'none')
  })

  it('passes over a fast codec that saves less than 5 %', () => {
    expect(
      choose([NONE, fakeRow('lz4', 1, 0.97, [7, 0.1, 0.01]), fakeRow('zstd', 1, 0.9, [7.2, 0.72, 0.07])]).row.codec
    ).toBe('zstd')
  })

  it('takes none when every codec is slower than sending the uncompressed file', () => {
    const slow = fakeRow('brotli', 11, 0.25, [9, 9, 9])

    const { row, smallest, fastLink, reason } = choose([NONE, slow])

    expect(row).toBe(NONE)
    expect(smallest).toBe(slow)
    expect(fastLink).toBeUndefined()
    expect(reason).toContain('9.00 s with brotli 11')
  })

  it.each([
    ['sending', fakeRow('zstd', 1, 0.4, [4, 0.32, 0.05]), 'Sending'],
    ['compressing', fakeRow('zstd', 1, 0.2, [4, 0.32, 0.05], { compress: 5e6 }), 'Compressing (5.00 MB/s)'],
    ['decompressing', fakeRow('zstd', 1, 0.2, [4, 0.32, 0.05], { decompress: 5e6 }), 'Decompressing (5.00 MB/s)']
  ])('names the slowest step: %s', (_, row, expected) => {
    expect(choose([NONE, row]).reason).toContain(expected)
  })
})

describe('addCommand', () => {
  const zstd = { codec: 'zstd', level: 3, label: 'zstd 3' }

  it.each([
    ['a file', zstd, ['dickens'], undefined, 'ipfsz add --codec zstd --level 3 dickens'],
    ['several files', zstd, ['a', 'b'], undefined, 'ipfsz add --codec zstd --level 3 FILE...'],
    ['a codec with one level', { codec: 'lz4', level: 1, label: 'lz4' }, ['a'], undefined, 'ipfsz add --codec lz4 a'],
    ['no codec', { codec: 'none', label: 'none' }, ['a'], 65_536, 'ipfsz add --codec none a'],
    ['frames of 64 KiB', zstd, ['a'], 65_536, 'ipfsz add --codec zstd --level 3 --frame-size 64KiB a'],
    ['frames of 16 MiB', zstd, ['a'], 16_777_216, 'ipfsz add --codec zstd --level 3 --frame-size 16MiB a'],
    ['frames of 100,001 bytes', zstd, ['a'], 100_001, 'ipfsz add --codec zstd --level 3 --frame-size 100001 a'],
    ['a name with spaces', zstd, ['my file'], undefined, 'ipfsz add --codec zstd --level 3 \'my file\''],
    ['a name with quotes', zstd, ['it\'s'], undefined, 'ipfsz add --codec zstd --level 3 \'it\'\\\'\'s\''],
    ['a name that looks like an option', zstd, ['-a'], undefined, 'ipfsz add --codec zstd --level 3 -- -a'],
    ['a name with unprintable characters', zstd, ['a\nb'], undefined, 'ipfsz add --codec zstd --level 3 FILE']
  ])('is right for %s', (_, row, paths, frameSize, command) => {
    expect(addCommand(row, paths, frameSize)).toBe(command)
  })
})
