import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Status } from '../src/bench/status.ts'

const CLEAR = '\r\u001b[K'

describe('the status of bench', () => {
  it('draws at most ten times a second, and counts seconds while a level is measured', () => {
    vi.useFakeTimers()
    onTestFinished(() => { vi.useRealTimers() })
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
    const status = new Status({ stderr, now: () => Date.now(), env: {} }, 30)

    for (let level = 0; level < 50; level++) {
      status.show(`zstd ${level}`)
      vi.advanceTimersByTime(10)
    }

    // the first one at once, then the last one of each tenth of a second
    expect(stderr.read()).toBe(
      [0, 9, 19, 29, 39, 49].map(level => `${CLEAR}zstd ${level} ...  0 of at most 30 s`).join('')
        .replace('49 ...  0', '49 ...  1')
    )
    vi.advanceTimersByTime(1000)
    expect(stderr.read()).toBe(`${CLEAR}zstd 49 ...  2 of at most 30 s`)
    status.end()
    vi.advanceTimersByTime(1000)
    expect(stderr.read()).toBe(CLEAR)
  })

  it.each([
    ['without a terminal', false, undefined],
    ['on a dumb terminal', true, 'dumb']
  ])('shows nothing %s', (_, isTTY, TERM) => {
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
    const status = new Status({ stderr, now: () => 0, env: { TERM } }, 30)

    status.show('zstd 1')
    status.end()
    expect(stderr.read()).toBeNull()
  })
})
