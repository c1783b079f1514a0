import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_PROGRESS_TIMEOUT, DEFAULT_TOTAL_TIMEOUT, MIN_RATE, SLOWEST_RATE } from '../src/constants.ts'
import { TimeBudget } from '../src/request/time-budget.ts'

const KIB = 1024

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

/** After how many seconds a transfer at so many bytes per second has used up its time, looked at as transfers are. */
function secondsAt (rate: number, budget: TimeBudget): number {
  for (let seconds = 10; seconds <= 3600; seconds += 10) {
    vi.advanceTimersByTime(DEFAULT_PROGRESS_TIMEOUT)

    if (budget.isSpent(rate * 10)) {
      return seconds
    }
  }

  return Number.POSITIVE_INFINITY
}

describe('the time of a transfer', () => {
  it.each([[0.5, 20], [1, 20], [1.5, 40], [2, Infinity], [4, Infinity]])(
    'at %d KiB/s ends after %d s', (rate, seconds) => {
      expect(secondsAt(rate * KIB, new TimeBudget(DEFAULT_PROGRESS_TIMEOUT, SLOWEST_RATE))).toBe(seconds)
    }
  )
})

describe('the time of a request', () => {
  it.each([[2, 160], [4, 240], [7, 960], [8, Infinity]])('at %d KiB/s ends after %d s', (rate, seconds) => {
    expect(secondsAt(rate * KIB, new TimeBudget(DEFAULT_TOTAL_TIMEOUT, MIN_RATE))).toBe(seconds)
  })
})
