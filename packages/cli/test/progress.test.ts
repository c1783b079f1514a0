import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Arrivals, shortName } from '../src/terminal/arrivals.ts'
import { Output } from '../src/terminal/output.ts'
import { formatTimeLeft } from '../src/terminal/progress-line.ts'
import { Progress } from '../src/terminal/progress.ts'
import { RecentRate } from '../src/terminal/recent-rate.ts'
import type { ProgressInit } from '../src/terminal/progress.ts'

const MIB = 1024 * 1024
const CID = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const CLEAR = '\r\u001b[K'

/** What a progress bar draws after ten seconds, without the control characters. */
function draw (columns: number | undefined, label: string, done: number, total?: number, thing?: string): string {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns })
  let time = 0
  const progress = new Progress({ stderr, now: () => time, env: {} }, { label, total, thing })

  time = 10_000
  progress.update(done)
  const line = (stderr.read() as string).replace(CLEAR, '')
  progress.end()
  expect(stderr.read()).toBe(CLEAR)

  return line
}

describe('a progress bar', () => {
  it('shows everything where there is room', () => {
    expect(draw(120, 'big.bin', 300 * MIB, 400 * MIB)).toBe(
      'big.bin  ███████████████░░░░░ 75 %  300 MiB of 400 MiB  30.0 MiB/s  4 s left'
    )
    expect(draw(120, 'stdin', 300 * MIB)).toBe('stdin  300 MiB  30.0 MiB/s')
  })

  it.each([
    [80, 'big.bin  ███████████████░░░░░ 75 %  300 MiB of 400 MiB  30.0 MiB/s  4 s left'],
    [undefined, 'big.bin  ███████████████░░░░░ 75 %  300 MiB of 400 MiB  30.0 MiB/s  4 s left'],
    [60, 'big.bin  ███████████████░░░░░ 75 %  30.0 MiB/s  4 s left'],
    [50, 'big.bin  ███████████████░░░░░ 75 %  4 s left'],
    [30, 'big.bin  75 %  4 s left'],
    [20, 'b…n  75 %  4 s left'],
    [10, '75 %  4 s']
  ])('never wraps: %s columns', (columns, line) => {
    expect(draw(columns, 'big.bin', 300 * MIB, 400 * MIB)).toBe(line)
  })

  it('counts things other than bytes', () => {
    expect(draw(80, 'converting', 300, 400, 'block')).toBe(
      'converting  ███████████████░░░░░ 75 %  300 of 400 blocks  30 blocks/s  4 s left'
    )
    expect(draw(80, 'finding unpinned blocks', 1, undefined, 'block'))
      .toBe('finding unpinned blocks  1 block  0 blocks/s')
  })

  it('moves while nothing arrives', () => {
    vi.useFakeTimers()

    try {
      const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
      const progress = new Progress({ stderr, now: Date.now, env: {} }, { label: 'stdin' })

      vi.advanceTimersByTime(1500)
      expect(stderr.read()).toContain('stdin  0 B  0 B/s')
      progress.end()
      stderr.read()
      vi.advanceTimersByTime(1500)
      expect(stderr.read()).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })

  it('draws nothing on a dumb terminal', () => {
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
    let now = 0
    const progress = new Progress({ stderr, now: () => now, env: { TERM: 'dumb' } }, { label: 'file', total: 100 })

    now = 10_000
    progress.update(50)
    progress.end()

    expect(stderr.read()).toBeNull()
  })

  it('counts two columns for characters that may be wide', () => {
    expect(draw(40, '데이터'.repeat(10), 300 * MIB, 400 * MIB)).toBe('데이터데이…데이터데이터  75 %  4 s left')
    expect(draw(40, '😀'.repeat(20), 300 * MIB)).toBe(`${'😀'.repeat(7)}…${'😀'.repeat(7)}  300 MiB`)
  })

  it('draws nothing where stderr is not a terminal, and in the first second', () => {
    const stderr = new PassThrough({ encoding: 'utf8' })
    const progress = new Progress({ stderr, now: () => 10_000, env: {} }, { label: 'file', total: 100 })

    progress.update(50)
    progress.end()
    Object.assign(stderr, { isTTY: true })
    progress.update(50)
    progress.end()

    expect(stderr.read()).toBeNull()
  })
})

/** Where a bar says that bytes come from. */
function from (line: string): string {
  return /from (.*)$/.exec(line)?.[1] ?? ''
}

/** A bar on a terminal, whose clock only `at` moves. */
function barOn (columns: number, init: Omit<ProgressInit, 'arrivals'>): {
  /** Go to a time in seconds, when these bytes arrive and this much is done. Returns what is shown then. */
  at: (seconds: number, done: number, arrived?: Record<string, number>) => string
} {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns })
  let now = 0
  const arrivals = new Arrivals(() => now)
  const progress = new Progress({ stderr, now: () => now, env: {} }, { ...init, arrivals })
  let asked = 0
  let shown = ''
  onTestFinished(() => { progress.end() })

  return {
    at (seconds, done, arrived = {}) {
      now = seconds * 1000
      Object.entries(arrived).forEach(([sender, bytes]) => { arrivals.add(sender, bytes, now - asked) })
      asked = now
      progress.update(done)

      // a line that stays the same is not drawn again
      shown = String(stderr.read() ?? '').replace(CLEAR, '') || shown

      return shown
    }
  }
}

describe('a progress bar of what is fetched', () => {
  it.each([
    [120, 'big.bin  ████████░░░░░░░░░░░░ 40 %  40.0 MiB of 100 MiB  1.00 MiB/s from dweb.link  15 s left'],
    [90, 'big.bin  ████████░░░░░░░░░░░░ 40 %  1.00 MiB/s from dweb.link  15 s left'],
    [60, 'big.bin  40 %  1.00 MiB/s from dweb.link  15 s left'],
    [40, '1.00 MiB/s from dweb.link  15 s left'],
    [30, 'big.bin  40 %  15 s left'],
    [16, '40 %  15 s left'],
    [10, '40 %  15']
  ])('says from where, how fast and how long: %i columns', (columns, line) => {
    const { at } = barOn(columns, { label: 'big.bin', total: 100 * MIB })
    let shown = ''

    // one MiB a second arrives, and is four when it is decompressed
    for (let second = 1; second <= 10; second++) {
      shown = at(second, second * 4 * MIB, { 'https://dweb.link/': MIB })
    }

    expect(shown).toBe(line)
  })

  it.each([
    [80, `${CID.slice(0, 11)}…${CID.slice(-10)}  10.0 MiB  1.00 MiB/s from 12D3Ko…H8P1gQ`],
    [40, '1.00 MiB/s from 12D3Ko…H8P1gQ'],
    [24, `${CID.slice(0, 6)}…${CID.slice(-6)}  10.0 MiB`]
  ])('says how much it is where the total is unknown: %i columns', (columns, line) => {
    const { at } = barOn(columns, { label: CID, isFetch: true })
    let shown = ''

    expect(at(2, 0)).toContain('waiting for the')

    for (let second = 3; second <= 12; second++) {
      shown = at(second, 0, { [PEER]: MIB })
    }

    expect(shown.replace(/^b\w+…\w+ {2}/, '')).toBe(line.replace(/^b\w+…\w+ {2}/, ''))
    expect(shown.length).toBeLessThan(columns)
  })

  it('measures the last seconds, not all since the start', () => {
    const { at } = barOn(80, { label: 'f', total: 1000 * MIB })

    for (let second = 1; second <= 10; second++) {
      at(second, second * 20 * MIB)
    }
    for (let second = 11; second <= 20; second++) {
      at(second, (180 + second * 2) * MIB)
    }

    expect(at(21, 222 * MIB)).toMatch(/ 2\.00 MiB\/s {2}/)
  })

  it('says how long it takes when a hundredth is done, not by the start', () => {
    const { at } = barOn(60, { label: 'f', total: 1000 * MIB })
    at(1, MIB)
    at(3, 2 * MIB)

    expect(at(5, 9 * MIB)).not.toContain('left')
    expect(at(6, 60 * MIB)).toMatch(/ s left$/)
  })

  it('changes its numbers once a second, and the bar in between', () => {
    const { at } = barOn(60, { label: 'f', total: 100 * MIB })
    at(2, 20 * MIB)

    expect(at(4, 40 * MIB)).toMatch(/40 % {2}10\.0 MiB\/s {2}6 s left$/)
    expect(at(4.5, 60 * MIB)).toMatch(/60 % {2}10\.0 MiB\/s {2}6 s left$/)
    expect(at(5, 60 * MIB)).toMatch(/60 % {2}12\.0 MiB\/s {2}4 s left$/)
  })

  it('shows no more again of what did not fit', () => {
    const { at } = barOn(62, { label: 'f', total: 100 * MIB })

    expect(at(2, 2 * MIB)).toContain('2.00 MiB of 100 MiB')
    expect(at(4, 35 * MIB)).not.toContain(' of ')
    expect(at(30, 36 * MIB)).not.toContain(' of ')
  })

  it('becomes a bar when the total is known', () => {
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 80 })
    let now = 0
    const progress = new Progress({ stderr, now: () => now, env: {} }, { label: 'f' })
    const at = (seconds: number, done: number, total?: number): string => {
      now = seconds * 1000
      progress.update(done, total)

      return String(stderr.read()).replace(CLEAR, '')
    }
    onTestFinished(() => { progress.end() })

    expect(at(2, 20 * MIB)).toBe('f  20.0 MiB  10.0 MiB/s')
    expect(at(4, 40 * MIB, 100 * MIB)).toMatch(/40 % {2}40.0 MiB of 100 MiB {2}10\.0 MiB\/s {2}6 s left$/)
    expect(at(5, 50 * MIB)).toMatch(/50 % .* [56] s left$/)
  })

  it('names the fastest sender, and another one only once it is much faster', () => {
    const { at } = barOn(80, { label: 'f' })

    at(1, 0, { 'https://a.example/': 100, 'https://b.example/': 90 })
    expect(from(at(2, 0, { 'https://a.example/': 100, 'https://b.example/': 90 }))).toBe('a.example +1')
    expect(from(at(3, 0, { 'https://a.example/': 100, 'https://b.example/': 200 }))).toBe('a.example +1')
    expect(from(at(4, 0, { 'https://b.example/': 2000 }))).toBe('b.example +1')
    expect(from(at(15, 0, { 'https://b.example/': 2000 }))).toBe('b.example')
    // nothing comes any more
    expect(from(at(30, 0))).toBe('')
  })

  it('is not there before anything is fetched, and never again once a file is on the terminal', async () => {
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
    const stdout = Object.assign(new PassThrough(), { isTTY: true })
    let now = 0
    const output = new Output({ stdout, stderr, now: () => now, env: {} }, { json: false, verbose: false })

    vi.useFakeTimers()

    try {
      const hide = output.showArrivals(new Arrivals(() => now))
      vi.advanceTimersByTime(now = 5000)
      expect(stderr.read()).toBeNull()

      output.waiting('root')
      vi.advanceTimersByTime(now = 7000)
      expect(stderr.read()).toMatch(/root {2}waiting for the first block$/)

      await output.bytes(new Uint8Array(1), new AbortController().signal)
      expect(stderr.read()).toBe(CLEAR)
      output.waiting('root')
      vi.advanceTimersByTime(now = 14_000)
      hide()
      expect(stderr.read()).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the numbers of a progress bar', () => {
  it('are those of the last blocks where they come further apart than the window is long', () => {
    const rate = new RecentRate(0)
    rate.update(1000, 20_000)
    rate.update(2000, 40_000)

    expect(rate.at(40_000)).toBe(50)
    expect(rate.at(59_999)).toBeCloseTo(33.3, 1)
  })

  it.each([
    [-1, '0 s left'],
    [0.2, '1 s left'],
    [120, '120 s left'],
    [121, '3 min left'],
    [10_801, '4 h left'],
    [400_000, '5 d left']
  ])('are units of time for people: %d s', (seconds, text) => {
    expect(formatTimeLeft(seconds)).toBe(text)
  })

  it.each([
    ['http://127.0.0.1:8080/', '127.0.0.1:8080'],
    ['https://[2606:4700::1111]/ipfs-gateway/', '[2606:4700::1111]'],
    [PEER, '12D3Ko…H8P1gQ']
  ])('name hosts and peers: %s', (sender, name) => {
    expect(shortName(sender)).toBe(name)
  })
})
