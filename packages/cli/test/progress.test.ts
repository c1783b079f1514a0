import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { Progress } from '../src/terminal/progress.ts'

const MIB = 1024 * 1024
const CLEAR = '\r\u001b[K'

/** What a progress bar draws after ten seconds, without the control characters. */
function draw (columns: number | undefined, label: string, done: number, total?: number, thing?: string): string {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns })
  let time = 0
  const progress = new Progress({ stderr, now: () => time }, { label, total, thing })

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
      'big.bin  ██████████████████░░░░░░ 75 %  300 MiB of 400 MiB  30.0 MiB/s  4 s left'
    )
    expect(draw(120, 'stdin', 300 * MIB)).toBe('stdin  300 MiB  30.0 MiB/s')
  })

  it.each([
    [80, 'big.bin  ██████████████████░░░░░░ 75 %  30.0 MiB/s  4 s left'],
    [undefined, 'big.bin  ██████████████████░░░░░░ 75 %  30.0 MiB/s  4 s left'],
    [60, 'big.bin  ██████████████████░░░░░░ 75 %  4 s left'],
    [30, 'big.bin  75 %  4 s left'],
    [20, 'b…n  75 %  4 s left'],
    [10, '  75 %  4']
  ])('never wraps: %s columns', (columns, line) => {
    expect(draw(columns, 'big.bin', 300 * MIB, 400 * MIB)).toBe(line)
  })

  it('counts things other than bytes', () => {
    expect(draw(80, 'converting', 300, 400, 'block')).toBe(
      'converting  ██████████████████░░░░░░ 75 %  30 blocks/s  4 s left'
    )
    expect(draw(200, 'converting', 300, 400, 'block')).toContain('300 of 400 blocks')
    expect(draw(80, 'finding unpinned blocks', 1, undefined, 'block'))
      .toBe('finding unpinned blocks  1 block  0 blocks/s')
  })

  it('moves while nothing arrives', () => {
    vi.useFakeTimers()

    try {
      const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
      const progress = new Progress({ stderr, now: Date.now }, { label: 'stdin' })

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

  it('counts two columns for characters that may be wide', () => {
    expect(draw(40, '데이터'.repeat(10), 300 * MIB, 400 * MIB)).toBe('데이터데이…데이터데이터  75 %  4 s left')
    expect(draw(40, '😀'.repeat(20), 300 * MIB)).toBe(`${'😀'.repeat(7)}…${'😀'.repeat(7)}  300 MiB`)
  })

  it('draws nothing where stderr is not a terminal, and in the first second', () => {
    const stderr = new PassThrough({ encoding: 'utf8' })
    const progress = new Progress({ stderr, now: () => 10_000 }, { label: 'file', total: 100 })

    progress.update(50)
    progress.end()
    Object.assign(stderr, { isTTY: true })
    progress.update(50)
    progress.end()

    expect(stderr.read()).toBeNull()
  })
})
