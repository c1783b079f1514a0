import { afterEach, describe, expect, it, vi } from 'vitest'
import { SourceOrder } from '../src/fetch/source-order.ts'
import type { BlockSource } from '../src/index.ts'

const [a, b, c]: BlockSource[] = [1, 2, 3].map(() => ({ fetch: async () => ({ bytes: new Uint8Array(0) }) }))

function indexesOf ({ sources }: SourceOrder): number[] {
  return sources.map(source => [a, b, c].indexOf(source))
}

afterEach(() => { vi.useRealTimers() })

describe('the order of sources', () => {
  it('is as given, but for one that is preferred, for five minutes', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const order = new SourceOrder([a, b, c])
    expect(indexesOf(order)).toEqual([0, 1, 2])

    order.prefer(b)
    vi.advanceTimersByTime(4 * 60_000)
    expect(indexesOf(order)).toEqual([1, 0, 2])

    order.prefer(c)
    vi.advanceTimersByTime(4 * 60_000)
    expect(indexesOf(order)).toEqual([2, 0, 1])
    vi.advanceTimersByTime(2 * 60_000)
    expect(indexesOf(order)).toEqual([0, 1, 2])
  })
})
