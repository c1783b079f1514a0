import { describe, expect, it, vi } from 'vitest'
import { mapOrdered, messageOf, yieldToEventLoop } from '../src/util/internal.ts'

describe('messageOf', () => {
  it('gives the message of an error, and the text of anything else that was thrown', () => {
    expect(messageOf(new TypeError('wrong'))).toBe('wrong')
    expect(messageOf('text')).toBe('text')
    expect(messageOf(undefined)).toBe('undefined')
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

describe('mapOrdered', () => {
  it('passes on the error of the work, although the source throws when it is closed', async () => {
    const source: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 1 }),
        return: () => { throw new Error('closing') }
      })
    }
    const results = mapOrdered(source, async () => { throw new Error('work') }, { concurrency: 1 })

    await expect(results.next()).rejects.toThrow('work')
  })
})
