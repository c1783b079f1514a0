import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventLoopBreaks, processorTime, yieldToEventLoop } from '../src/event-loop.ts'

describe('breaks of a loop', () => {
  let now = 0

  /** A loop that runs for some time, until it looks whether a break is due. */
  const isDueAfter = (breaks: EventLoopBreaks, time: number): boolean => {
    now += time

    return breaks.isDue()
  }

  beforeEach(() => { vi.spyOn(performance, 'now').mockImplementation(() => now) })
  afterEach(() => { vi.restoreAllMocks() })

  it('are due in a loop that never waits', async () => {
    const breaks = new EventLoopBreaks()
    const due: boolean[] = []

    for (let i = 0; i < 4; i++) {
      due.push(isDueAfter(breaks, 25))
      await Promise.resolve()
    }

    expect(due).toEqual([false, true, true, true])
  })

  it('are not due in a loop that waits, however long it takes', async () => {
    const breaks = new EventLoopBreaks()
    const due: boolean[] = []

    for (let i = 0; i < 4; i++) {
      due.push(isDueAfter(breaks, 1000))
      await yieldToEventLoop()
    }

    expect(due).toEqual([false, false, false, false])
  })

  it('are due again some time after one was taken', async () => {
    const breaks = new EventLoopBreaks()
    isDueAfter(breaks, 25)
    expect(isDueAfter(breaks, 25)).toBe(true)

    await breaks.take()

    expect(isDueAfter(breaks, 15)).toBe(false)
    expect(isDueAfter(breaks, 15)).toBe(true)
  })
})

describe('yieldToEventLoop', () => {
  it('lets timers run', async () => {
    const timer = vi.fn<() => void>()
    setTimeout(timer)

    while (timer.mock.calls.length === 0) {
      await yieldToEventLoop()
    }

    expect(timer).toHaveBeenCalledTimes(1)
  })
})

describe('the time of a thread', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })

  it('is the processor time, in milliseconds', () => {
    vi.stubGlobal('process', { threadCpuUsage: () => ({ user: 1500, system: 500 }) })

    expect(processorTime()).toBe(2)
  })

  it('is that of a clock where the platform cannot tell it', () => {
    vi.spyOn(performance, 'now').mockReturnValue(7)

    for (const platform of [undefined, {}]) {
      vi.stubGlobal('process', platform)
      expect(processorTime()).toBe(7)
    }
  })
})
