import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bar, chart } from '../src/bench/chart.ts'
import { formatDuration, formatPercent, formatRatio, formatSpeed } from '../src/bench/format.ts'
import { reportObjects, reportText } from '../src/bench/report.ts'
import { rowsTable } from '../src/bench/rows-table.ts'
import { terminalOf } from '../src/bench/terminal.ts'
import { wrap } from '../src/terminal/wrap.ts'
import { Clock, fakeCodecLevel, fakeRow } from './bench-fakes.ts'
import type { Report } from '../src/bench/report.ts'
import type { Terminal } from '../src/bench/terminal.ts'

const WIDTHS = [60, 70, 79, 80, 100, 120, 250]
const NARROW_WIDTHS = [40, ...WIDTHS]
const ESCAPE = '\u001b'

const none = fakeRow('none', undefined, 1, [8, 0.8, 0.08])
const zstd = fakeRow('zstd', 3, 0.3625, [2.9, 0.29, 0.0371])
const snappy = fakeRow('snappy', 1, 0.6, [4.8, 0.48, 0.1], { label: 'snappy', implementation: 'wasm' })
const brotli = fakeRow('brotli', 11, 0.28, [222, 222, 222], { partial: true, measured: 131_072, compress: 45_000 })
const rows = [none, zstd, snappy, brotli]

function terminal (width: number, init: Partial<Terminal> = {}): Terminal {
  return { width, unicode: true, colours: false, ...init }
}

const report: Report = {
  paths: ['/some/where/dickens'],
  size: 10_192_446,
  sampled: 10_192_446,
  frameSize: 4_194_304,
  threads: 2,
  time: 15,
  rows,
  unmeasured: [],
  needed: 15,
  choice: { row: zstd, reason: 'It is the best of all. '.repeat(10).trim(), smallest: brotli, fastLink: zstd },
  command: 'ipfsz add dickens'
}

describe('figures', () => {
  it.each([
    [1e6, '1.00'], [123_456_789, '123'], [12_345_678, '12.3'], [1_234_567_890, '1230'], [45_000, '0.0450'],
    [999_600, '1.00'], [99_960_000, '100'], [1, '0.00'], [Infinity, '-']
  ])('show %d bytes per second as %s', (speed, text) => {
    expect(formatSpeed(speed)).toBe(text)
  })

  it.each([
    [0.0000724, '0.0724 ms'], [0.000_262, '0.262 ms'], [0.0815, '81.5 ms'], [0.815, '815 ms'],
    [0.9996, '1.00 s'], [8.154, '8.15 s'], [81.54, '81.5 s'], [99.96, '1.7 min'], [222, '3.7 min'], [840, '14 min'],
    [3580, '1.0 h'], [8280, '2.3 h'], [82_800, '23 h'], [1_036_800, '12 d']
  ])('show %d seconds as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })

  it.each([
    [1, '1.000'], [0.3625, '0.362'], [0.0004, '<0.001'], [1.0021, '1.002']
  ])('show a ratio of %d as %s', (ratio, text) => {
    expect(formatRatio(ratio)).toBe(text)
  })

  it.each([
    [0.3261, '32.6 %'], [0.05, '5.00 %'], [1.001, '100 %'], [0.00004, '<0.01 %'], [0, '0.00 %']
  ])('show a share of %d as %s', (part, text) => {
    expect(formatPercent(part)).toBe(text)
  })
})

describe('wrap', () => {
  it('fills lines with words, and gives one that is too long a line of its own', () => {
    expect(wrap('a bb ccc dddddddd e', 6)).toBe('a bb\nccc\ndddddddd\ne')
  })

  it('keeps a number and its unit on one line', () => {
    expect(wrap('it has 128 KiB, 5.00 % of 3 things', 10)).toBe('it has\n128 KiB,\n5.00 % of\n3 things')
  })
})

describe('terminalOf', () => {
  it.each<[string, Parameters<typeof terminalOf>, Partial<Terminal>]>([
    [
      'a terminal',
      [{ isTTY: true, columns: 120 }, { LANG: 'en_GB.UTF-8', TERM: 'xterm' }, 'linux'],
      { width: 120, unicode: true, colours: true }
    ],
    ['a pipe', [{}, { LANG: 'C.utf8' }, 'linux'], { width: 80, unicode: true, colours: false }],
    [
      'NO_COLOR',
      [{ isTTY: true, columns: 80 }, { LANG: 'C.UTF-8', NO_COLOR: '1' }, 'linux'],
      { unicode: true, colours: false }
    ],
    ['an empty NO_COLOR', [{ isTTY: true, columns: 80 }, { NO_COLOR: '' }, 'linux'], { colours: true }],
    [
      'a dumb terminal',
      [{ isTTY: true, columns: 80 }, { LANG: 'C.UTF-8', TERM: 'dumb' }, 'linux'],
      { unicode: false, colours: false }
    ],
    ['a missing locale', [{}, {}, 'linux'], { unicode: false }],
    ['a locale that LC_ALL overrides', [{}, { LANG: 'C.UTF-8', LC_ALL: 'C' }, 'linux'], { unicode: false }],
    ['Windows', [{}, {}, 'win32'], { unicode: true }],
    ['a terminal that reports no width', [{ isTTY: true, columns: 0 }, {}, 'linux'], { width: 80 }]
  ])('recognizes %s', (_, args, expected) => {
    expect(terminalOf(...args)).toMatchObject(expected)
  })
})

describe('bar', () => {
  it.each([
    [0, '    '], [1, '████'], [0.5, '██  '], [0.25 + 1 / 32, '█▏  '],
    [0.75 - 1 / 32, '██▉ '], [0.0001, '▏   '], [1.01, '███▶']
  ])('shows %d in eighths of a character', (part, text) => {
    expect(bar(part, 4, true)).toBe(text)
  })

  it.each([
    [0, '    '], [1, '####'], [0.5, '##  '], [0.0001, '#   '], [1.01, '###>']
  ])('shows %d in ASCII', (part, text) => {
    expect(bar(part, 4, false)).toBe(text)
  })
})

describe('the table', () => {
  it('has two lines of headings, then a line for each row', () => {
    expect(rowsTable(rows, zstd, terminal(80))).toEqual([
      'CODEC   LEVEL  RUNS     RATIO  COMPRESS  DECOMPRESS       10      100        1',
      '                                   MB/s        MB/s   Mbit/s   Mbit/s   Gbit/s',
      'none        -  -        1.000         -           -   8.00 s   800 ms  80.0 ms',
      'zstd        3  native   0.362       123         456   2.90 s   290 ms  37.1 ms',
      'snappy      1  wasm     0.600       123         456   4.80 s   480 ms   100 ms',
      'brotli     11  native  ~0.280    0.0450         456  3.7 min  3.7 min  3.7 min'
    ])
  })

  it('has the ratio, the speed and the time over the usual link where there is no room for more', () => {
    const lines = rowsTable(rows, zstd, terminal(40))

    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(40)
    expect(lines[0]).toMatch(/^CODEC +RATIO +COMPRESS +100$/)
  })

  it.each(WIDTHS)('fits into %d columns, with all figures', (width) => {
    const lines = rowsTable(rows, zstd, terminal(width))

    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(width)
    expect(lines[3]).toMatch(/^zstd +3 .*0\.362 +123 +456 +2\.90 s +290 ms +37\.1 ms$/)
  })
})

describe('the chart', () => {
  it('shows the stored size and the time, and an arrow where a bar would be too long', () => {
    expect(chart(rows, zstd, 10_192_446, terminal(60))).toEqual([
      '            stored                    at 100 Mbit/s',
      '  none      █████████████ 9.72 MiB    ██████████▍    800 ms',
      '▸ zstd 3    ████▊         3.52 MiB    ███▊           290 ms',
      '  snappy    ███████▊      5.83 MiB    ██████▎        480 ms',
      '  brotli 11 ███▋          2.72 MiB    ████████████▶ 3.7 min'
    ])
  })

  it.each(NARROW_WIDTHS)('fits into %d columns', (width) => {
    const lines = chart(rows, zstd, 10_192_446, terminal(width))

    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(width)
    expect(new Set(lines.slice(1).map(line => line.length)).size).toBe(1)
  })

  it('is ASCII on a terminal without Unicode', () => {
    expect(chart(rows, zstd, 10_192_446, terminal(80, { unicode: false })).join('\n')).toMatch(/^[\n -~]+$/)
  })
})

describe('the report', () => {
  it.each(NARROW_WIDTHS)('fits into %d columns', (width) => {
    const lines = reportText({ ...report, paths: ['x'.repeat(300)] }, terminal(width)).split('\n')

    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(width)
  })

  it('begins with what was measured, and ends with the choice and the command', () => {
    const text = reportText(report, terminal(100))

    expect(text).toMatch(/^dickens, 9\.72 MiB\nMeasured on all of the file, in frames of 4\.00 MiB, with 2 threads\.\n/)
    expect(text).toContain('\nRecommended: zstd 3\nIt is the best of all. ')
    expect(text).toContain('brotli 11 on 128 KiB')
    expect(text).toContain('To save space: brotli 11, about 28.0 % of its size')
    expect(text).toMatch(/\n {2}ipfsz add dickens$/)
  })

  it('says that it was measured on a sample of several files', () => {
    const choice = { ...report.choice, row: { ...zstd, margin: undefined } }
    const text = reportText({ ...report, paths: ['a', 'b'], size: 1e9, threads: 1, choice }, terminal(250))

    expect(text.split('\n').slice(0, 2)).toEqual([
      '2 files, 954 MiB',
      'Measured on 9.72 MiB of 954 MiB, spread over the files, in frames of 4.00 MiB, with 1 thread. ' +
      'That is too little to estimate the ratios of all data.'
    ])
  })

  it('says how sure the ratios of a sample are', () => {
    const sure = { ...zstd, margin: 0.034 }
    const text = reportText({ ...report, size: 1e9, choice: { ...report.choice, row: sure } }, terminal(250))

    expect(text).toContain('With 95 % confidence, the ratios of all data are within 4 % of these.')
    expect(reportText(report, terminal(250))).not.toContain('95 % confidence')
  })

  it('says how sure those are that were measured on less, and which levels were not measured', () => {
    const less = fakeRow('zstd', 19, 0.3, [3, 3, 3], { partial: true, measured: 8_388_608, margin: 0.021 })
    const unmeasured = [{ codecLevel: fakeCodecLevel(new Clock(), { name: 'brotli', level: 11 }), expected: 21_300 }]
    const slow = { ...report, rows: [none, zstd, less], unmeasured, needed: 40 }
    const text = reportText(slow, terminal(250))

    expect(text).toContain('~ measured on less data, to finish within 15 s: zstd 19 on 8.00 MiB, ± 3 %.')
    expect(text).toContain('too slow: brotli 11 (21.3 s). To measure all, use --time 40.')
    expect(text).not.toMatch(/^. brotli/m)
    expect(reportText(report, terminal(250))).not.toContain('Not measured')
    expect(reportObjects(slow)[3])
      .toEqual({ codec: 'brotli', level: 11, implementation: 'js', measured: 0, expected: 21.3 })
  })

  it('escapes control characters in file names', () => {
    expect(reportText({ ...report, paths: [`a\n${ESCAPE}[2Jb`] }, terminal(80))).toMatch(/^a\\x0a\\x1b\[2Jb, /)
  })

  it('has the same text with colours and without', () => {
    const coloured = reportText(report, terminal(80, { colours: true }))

    expect(coloured).toContain(ESCAPE)
    expect(stripVTControlCharacters(coloured)).toBe(reportText(report, terminal(80)))
    expect(reportText(report, terminal(80))).not.toContain(ESCAPE)
  })

  it('has, as JSON, an object for each row and one for the choice', () => {
    const objects = reportObjects(report)

    expect(objects).toHaveLength(rows.length + 1)
    expect(objects[0]).not.toHaveProperty('compress')
    expect(objects[1]).toMatchObject({
      codec: 'zstd',
      level: 3,
      ratio: 0.3625,
      compress: 123_456_789,
      decompress: 456_000_000,
      seconds: { '100 Mbit/s': 0.29 },
      partial: false
    })
    expect(objects[4]).toMatchObject({
      choice: { codec: 'zstd', level: 3 },
      smallest: { codec: 'brotli', level: 11 },
      size: 10_192_446
    })
  })
})
