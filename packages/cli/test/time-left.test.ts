import { describe, expect, it } from 'vitest'
import { TimeLeft } from '../src/terminal/time-left.ts'

const TOTAL = 1000

/** What is estimated after each second, of the shares that are done by then. */
function estimates (shares: readonly number[], total = TOTAL): Array<number | undefined> {
  const timeLeft = new TimeLeft(0)

  return shares.map((share, i) => timeLeft.at(share * TOTAL, total, (i + 1) * 1000))
}

/** Shares that grow with the speeds of each second, and end with 1. */
function sharesOf (speeds: readonly number[]): number[] {
  const all = speeds.reduce((sum, speed) => sum + speed, 0)
  let done = 0

  return speeds.map(speed => (done += speed) / all)
}

describe('the time left', () => {
  it('is exact where the speed stays the same, and 0 in the end', () => {
    const left = estimates(sharesOf(Array.from({ length: 100 }, () => 1)))

    expect(left.slice(2).map(seconds => Math.round(seconds ?? NaN)))
      .toEqual(Array.from({ length: 98 }, (_, i) => 97 - i))
  })

  it('is unknown in the first seconds, before a hundredth is done, without a total, and while nothing is done', () => {
    expect(estimates([0.1, 0.2]).every(seconds => seconds == null)).toBe(true)
    expect(estimates(Array.from({ length: 60 }, () => 0.009)).every(seconds => seconds == null)).toBe(true)
    expect(estimates([0.1, 0.2, 0.3, 0.4], 0).every(seconds => seconds == null)).toBe(true)
    expect(estimates([0, 0, 0, 0.01]).slice(0, 3).every(seconds => seconds == null)).toBe(true)
  })

  it.each([
    ['small files and large ones', Array.from({ length: 200 }, (_, i) => i % 23 === 0 ? 100 : 1)],
    ['a slow start', Array.from({ length: 100 }, (_, i) => i < 20 ? 0.1 : 5)],
    ['a link that slows down', Array.from({ length: 100 }, (_, i) => 1 / (1 + i))],
    ['pauses', Array.from({ length: 150 }, (_, i) => i % 50 < 25 ? 0 : 3)]
  ])('changes by no more than a quarter in a second, besides counting down: %s', (_, speeds) => {
    const left = estimates(sharesOf(speeds))

    expect(left.at(-1)).toBe(0)

    for (const [i, now] of left.slice(0, -1).entries()) {
      const before = left[i - 1]

      if (before != null) {
        expect(now).toBeLessThanOrEqual(Math.max(before, 1) * 1.25)
        expect(now).toBeGreaterThanOrEqual((before - 1) / 1.25)
      }
    }
  })

  it('follows a speed that stays another one', () => {
    const left = estimates(sharesOf(Array.from({ length: 300 }, (_, i) => i < 20 ? 10 : 1)))

    expect(left[19]).toBeLessThan(30)
    expect(left[100]).toBeGreaterThan(150)
    expect(left[100]).toBeLessThan(250)
  })
})
