import { CID } from 'multiformats/cid'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SourceOrder } from '../src/fetch/source-order.ts'
import type { BlockSource } from '../src/index.ts'

const CID_OF_NOTHING = CID.parse('bafkqaaa')

/** The one that sends blocks. The others keep silent. */
let sender: BlockSource | undefined

const [a, b, c] = [1, 2, 3].map(() => {
  const source: BlockSource = {
    fetch: async () => source === sender ? { bytes: new Uint8Array(0) } : new Promise(() => {})
  }

  return source
})

async function askWhileOthersAreSilent (order: SourceOrder, source: BlockSource): Promise<void> {
  const { signal } = new AbortController()
  sender = source
  await order.ask(CID_OF_NOTHING, { root: CID_OF_NOTHING, signal }, 0)
}

function indexesOf ({ sources }: SourceOrder): number[] {
  return sources.map(source => [a, b, c].indexOf(source))
}

afterEach(() => { vi.useRealTimers() })

describe('the order of sources', () => {
  it('is as given, but for one that sent a block while others kept silent, for five minutes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const order = new SourceOrder([a, b, c])
    expect(indexesOf(order)).toEqual([0, 1, 2])

    await askWhileOthersAreSilent(order, b)
    vi.advanceTimersByTime(4 * 60_000)
    expect(indexesOf(order)).toEqual([1, 0, 2])

    await askWhileOthersAreSilent(order, c)
    vi.advanceTimersByTime(4 * 60_000)
    expect(indexesOf(order)).toEqual([2, 0, 1])
    vi.advanceTimersByTime(2 * 60_000)
    expect(indexesOf(order)).toEqual([0, 1, 2])
  })
})
