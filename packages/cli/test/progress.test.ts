import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Progress } from '../src/terminal/progress.ts'

const MIB = 1024 * 1024

/** What a progress bar draws after ten seconds, without the control characters. */
function draw (columns: number | undefined, label: string, done: number, total?: number): string {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns })
  let time = 0
  const progress = new Progress({ stderr, now: () => time }, label, total)

  time = 10_000
  progress.update(done)

  return (stderr.read() as string).replace('\r\u001b[K', '')
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
    [20, 'bi…  75 %  4 s left'],
    [10, '  75 %  4']
  ])('never wraps: %s columns', (columns, line) => {
    expect(draw(columns, 'big.bin', 300 * MIB, 400 * MIB)).toBe(line)
  })

  it('counts two columns for characters that may be wide', () => {
    expect(draw(40, '데이터'.repeat(10), 300 * MIB, 400 * MIB)).toBe('데이터데이터데이터데이…  75 %  4 s left')
    expect(draw(40, '😀'.repeat(20), 300 * MIB)).toBe(`${'😀'.repeat(14)}…  300 MiB`)
  })

  it('draws nothing where stderr is not a terminal, and in the first second', () => {
    const stderr = new PassThrough({ encoding: 'utf8' })
    const progress = new Progress({ stderr, now: () => 10_000 }, 'file', 100)

    progress.update(50)
    progress.end()
    Object.assign(stderr, { isTTY: true })
    progress.update(50)
    progress.end()

    expect(stderr.read()).toBeNull()
  })
})
