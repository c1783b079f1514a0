import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StallDetector } from '../src/index.ts'

beforeEach(() => { vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }) })
afterEach(() => { vi.useRealTimers() })

describe('StallDetector', () => {
  it('measures the silence since the last arrival, or since one waits', () => {
    const detector = new StallDetector()
    const since = detector.now()
    vi.advanceTimersByTime(300)

    expect(detector.hasBegun).toBe(false)
    expect(detector.silence(since)).toBe(300)

    detector.arrived()
    vi.advanceTimersByTime(50)
    expect(detector.hasBegun).toBe(true)
    expect(detector.silence(since)).toBe(50)
    expect(detector.silence(detector.now())).toBe(0)
  })

  it('calls back once nothing has arrived for the time', () => {
    const detector = new StallDetector()
    const onStalled = vi.fn()
    detector.watch(1000, onStalled)

    vi.advanceTimersByTime(900)
    detector.arrived()
    vi.advanceTimersByTime(999)
    expect(onStalled).not.toHaveBeenCalled()

    vi.advanceTimersByTime(60_000)
    expect(onStalled).toHaveBeenCalledOnce()
  })

  it('calls back when what is waited for takes too long, whatever else arrives', () => {
    const detector = new StallDetector()
    const onStalled = vi.fn()
    detector.watch(1000, onStalled, { longest: 3000 })

    for (let time = 0; time < 2999; time += 500) {
      expect(onStalled).not.toHaveBeenCalled()
      vi.advanceTimersByTime(500)
      detector.arrived()
    }

    expect(onStalled).toHaveBeenCalledOnce()
  })

  it('does not call back once it is told to end', () => {
    const onStalled = vi.fn()
    new StallDetector().watch(1000, onStalled)()
    vi.advanceTimersByTime(60_000)

    expect(onStalled).not.toHaveBeenCalled()
  })

  it('takes a trickle for silence', () => {
    const detector = new StallDetector({ least: 100 })
    const since = detector.now()

    for (let i = 0; i < 9; i++) {
      vi.advanceTimersByTime(100)
      detector.arrived(10)
    }

    expect(detector.silence(since)).toBe(900)
    detector.arrived(10)
    expect(detector.silence(since)).toBe(0)
  })

  it('counts only the time of its clock', () => {
    let time = 0
    const detector = new StallDetector({ now: () => time })
    vi.advanceTimersByTime(5000)
    time = 10

    expect(detector.silence(0)).toBe(10)
  })
})
