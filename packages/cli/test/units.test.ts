import { describe, expect, it } from 'vitest'
import { count, formatSize, parseAge, parseNumber, parseSize, parseSizeOrNone } from '../src/terminal/units.ts'

describe('parseSize', () => {
  it.each([
    ['0', 0],
    ['65536', 65_536],
    ['100b', 100],
    ['64k', 65_536],
    ['64K', 65_536],
    ['64KiB', 65_536],
    ['64kib', 65_536],
    ['64KB', 64_000],
    ['4 MiB', 4_194_304],
    ['4m', 4_194_304],
    ['1MB', 1_000_000],
    ['1.5MiB', 1_572_864],
    ['2GiB', 2_147_483_648],
    ['2g', 2_147_483_648],
    ['1gb', 1_000_000_000],
    [' 10 ', 10]
  ])('reads "%s" as %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes)
  })

  it.each([
    '',
    ' ',
    'MiB',
    '-1',
    '+1',
    '1.',
    '.5',
    '1e3',
    '0x10',
    '1,000',
    '4 furlongs',
    '4 M iB',
    '1PiB',
    '65536.5',
    '1.0001k',
    '9007199254740993',
    'NaN',
    'Infinity',
    '1k1',
    'toString',
    '1toString',
    '1constructor'
  ])('refuses "%s"', (text) => {
    expect(() => parseSize(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

describe('parseSizeOrNone', () => {
  it.each([['none', 0], ['0', 0], ['10GiB', 10_737_418_240]])('reads "%s" as %d bytes', (text, bytes) => {
    expect(parseSizeOrNone(text)).toBe(bytes)
  })

  it.each(['', 'None of it', 'all'])('refuses "%s"', text => {
    expect(() => parseSizeOrNone(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

describe('parseNumber', () => {
  it.each([['0', 0], ['1', 1], ['007', 7], ['9007199254740991', Number.MAX_SAFE_INTEGER]])('reads "%s" as %d', (
    text,
    number
  ) => {
    expect(parseNumber(text)).toBe(number)
  })

  it.each(['', ' ', ' 1', '-1', '+1', '1.5', '1e3', '0x10', 'many', '9007199254740992', '１'])('refuses "%s"', (
    text
  ) => {
    expect(() => parseNumber(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

describe('parseAge', () => {
  it.each([
    ['12h', 12], ['30d', 720], ['6m', 186 * 24], ['1y', 366 * 24], ['1y2m3d4h', (366 + 62 + 3) * 24 + 4], ['0h', 0]
  ])('reads "%s" as %d hours', (text, hours) => {
    expect(parseAge(text)).toBe(hours * 3_600_000)
  })

  // a minute or a second would be taken for something else by those who know restic
  it.each(['', '5', '10s', '5min', '1.5d', '-1d', '1h1y', '1e3d', '99999999999999y'])('refuses "%s"', text => {
    expect(() => parseAge(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

describe('formatSize', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1023 B'],
    [1024, '1.00 KiB'],
    [1536, '1.50 KiB'],
    [102_400, '100 KiB'],
    [1_047_552, '1023 KiB'],
    [4_194_304, '4.00 MiB'],
    [100_000_000, '95.4 MiB'],
    [1_073_741_824, '1.00 GiB'],
    [1024 ** 4, '1.00 TiB'],
    [1024 ** 5, '1.00 PiB'],
    [3_221_225_472n, '3.00 GiB']
  ])('shows %d bytes as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text)
  })

  it.each([999, 999.4, 999.6, 1023, 1023.4, 1023.9])('shows %d KiB without an exponent', (kib) => {
    expect(formatSize(Math.floor(kib * 1024))).toMatch(/^\d{3,4} KiB$/)
  })
})

describe('count', () => {
  it.each([[0, '0 blocks'], [1, '1 block'], [1n, '1 block'], [2n, '2 blocks']])('names %s in the right number', (
    number,
    text
  ) => {
    expect(count(number, 'block')).toBe(text)
  })
})
