import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import type { Share, ShareInit } from '../src/memory/share.ts'

const NEVER = new AbortController().signal

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

function init (bytes: number, more: Partial<ShareInit> = {}): ShareInit {
  return { bytes, signal: NEVER, patience: 1000, revoke: () => {}, ...more }
}

/** Take memory, and tell whether it was granted. */
function ask (budget: MemoryBudget, given: ShareInit): { share: () => Share | undefined } {
  let share: Share | undefined
  void (async () => { share = await budget.take(given).catch(() => undefined) })()

  return { share: () => share }
}

describe('MemoryBudget', () => {
  it('grants what fits, and the rest in order as memory is given back', async () => {
    const budget = new MemoryBudget(100)
    const first = await budget.take(init(60))
    const [large, small] = [ask(budget, init(60)), ask(budget, init(10))]
    await vi.advanceTimersByTimeAsync(0)

    expect([large.share(), small.share()]).toEqual([undefined, undefined])
    expect(budget.isAwaited).toBe(true)
    first.give()
    first.give()
    await vi.advanceTimersByTimeAsync(0)
    expect([large.share()?.bytes, small.share()?.bytes]).toEqual([60, 10])
    expect(budget.taken).toBe(70)
  })

  it('takes back the largest shares if far too much is held that cannot wait', async () => {
    const budget = new MemoryBudget(100)
    const revoked: string[] = []
    const held = (name: string, bytes: number): Share => {
      const share: Share = budget.hold(init(bytes, {
        revoke: () => {
          revoked.push(name)
          share.give()
        }
      }))

      return share
    }
    const [a] = [held('a', 20), held('b', 60), held('c', 40)]
    expect([budget.taken, revoked]).toEqual([120, []])
    // one that grows is counted, too
    a.resize(30)
    expect([budget.taken, revoked]).toEqual([70, ['b']])
    a.resize(130)
    expect([budget.taken, revoked]).toEqual([40, ['b', 'a']])
  })

  it('grants more than there is once nothing else is taken', async () => {
    const budget = new MemoryBudget(100)
    const first = await budget.take(init(1))
    const huge = ask(budget, init(1000))
    await vi.advanceTimersByTimeAsync(0)

    expect(huge.share()).toBeUndefined()
    first.give()
    await vi.advanceTimersByTimeAsync(0)
    expect(huge.share()?.bytes).toBe(1000)
  })

  it('is short from one half on, and then has nothing for reading ahead', async () => {
    const budget = new MemoryBudget(100)
    const ahead = budget.tryTake(init(50))

    expect(budget.isShort).toBe(false)
    expect(budget.tryTake(init(1))).toBeUndefined()
    await budget.take(init(1))
    expect(budget.isShort).toBe(true)
    ahead?.resize(10)
    expect(budget.tryTake(init(39))?.bytes).toBe(39)
  })

  it('gets a share back when its signal aborts, and forgets those who do not wait any more', async () => {
    const budget = new MemoryBudget(100)
    const [holder, leaver] = [new AbortController(), new AbortController()]
    await budget.take(init(100, { signal: holder.signal }))
    const left = budget.take(init(100, { signal: leaver.signal }))
    const next = ask(budget, init(50))

    leaver.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    holder.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(next.share()?.bytes).toBe(50)
    expect(budget.taken).toBe(50)
    await expect(budget.take(init(1, { signal: leaver.signal }))).rejects.toThrow('left')
  })

  it('takes a share back that is held too long, but only while others wait', async () => {
    const budget = new MemoryBudget(100)
    const revoked: string[] = []
    const hold = async (name: string): Promise<Share> => {
      const share: Share = await budget.take(init(50, { revoke: () => {
        revoked.push(name)
        share.give()
      } }))

      return share
    }
    await hold('first')
    const second = await hold('second')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(revoked).toEqual([])

    second.touch(1000)
    const waiting = ask(budget, init(10))
    await vi.advanceTimersByTimeAsync(500)
    // that is enough for the one who waits
    expect(revoked).toEqual(['first'])
    expect(waiting.share()?.bytes).toBe(10)
    ask(budget, init(100))
    await vi.advanceTimersByTimeAsync(5000)
    expect(revoked).toEqual(['first', 'second'])
    expect(vi.getTimerCount()).toBe(1)
  })
})
