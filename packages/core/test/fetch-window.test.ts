import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { FetchWindow } from '../src/fetch/fetch-window.ts'
import type { Slot } from '../src/fetch/fetch-window.ts'

const MIB = 1024 * 1024
const FILE = {}

/** A window whose time goes on when it is told to, and what has been let in. */
class Bench {
  time = 0
  readonly window: FetchWindow
  readonly slots: Slot[] = []
  readonly signal = new AbortController().signal

  constructor (init: Partial<ConstructorParameters<typeof FetchWindow>[0]> = {}) {
    this.window = new FetchWindow({ maxBytes: 32 * MIB, ahead: 2000, now: () => this.time, ...init })
  }

  ask (count: number, size = MIB, scope: object = FILE): void {
    for (let i = 0; i < count; i++) {
      void this.window.acquire(size, scope, this.signal).then(slot => this.slots.push(slot))
    }
  }

  /** Let everything in that may be. */
  async settle (): Promise<number> {
    await new Promise(resolve => { setImmediate(resolve) })

    return this.slots.length
  }

  /** All that was let in arrives, after so many milliseconds. */
  async arrive (time: number, size = MIB): Promise<number> {
    this.time += time
    this.slots.splice(0).forEach(slot => { slot.end(size) })

    return this.settle()
  }
}

describe('the amount requested at a time', () => {
  it('is one leaf at first, and then what arrives in the time ahead', async () => {
    const bench = new Bench()
    bench.ask(20)

    expect(await bench.settle()).toBe(1)
    // a leaf in 500 ms: four in two seconds
    expect(await bench.arrive(500)).toBe(4)

    // four in 1,000 ms: eight in two seconds, when it is clear that no more came with them
    await bench.arrive(1000)
    await bench.arrive(500)
    expect(bench.window.limit).toBe(8 * MIB)
  })

  it('is a leaf on a link on which less arrives', async () => {
    const bench = new Bench()
    bench.ask(20)
    await bench.settle()

    expect(await bench.arrive(8000)).toBe(1)
    expect(await bench.arrive(8000)).toBe(1)
  })

  it('never exceeds the byte limit', async () => {
    const bench = new Bench({ maxBytes: 5 * MIB })
    bench.ask(20)
    await bench.settle()

    expect(await bench.arrive(100)).toBe(5)
    // a fifth one when a quarter of these has arrived
    expect(await bench.arrive(100)).toBe(4)
    expect(await bench.arrive(100)).toBeLessThanOrEqual(5)
  })

  it('is never more than 256 blocks, however small they are', async () => {
    const bench = new Bench()
    bench.ask(1)
    bench.ask(1000, 100)
    await bench.settle()

    expect(await bench.arrive(10)).toBe(256)
  })

  it('is at least one block, even one that exceeds the limit', async () => {
    const bench = new Bench({ maxBytes: MIB / 2 })
    bench.ask(2)

    expect(await bench.settle()).toBe(1)
    expect(await bench.arrive(100)).toBe(1)
  })

  it('does not count the time to find a provider of the first block', async () => {
    const bench = new Bench()
    bench.ask(1, 32 * 1024)
    await bench.settle()
    await bench.arrive(250, 1000)

    bench.ask(20)
    await bench.settle()
    // a leaf in 750 ms, of which 250 are the way there and back
    expect(await bench.arrive(750)).toBe(4)
  })

  it('is asked for in batches: more when a quarter has arrived, and not before', async () => {
    const bench = new Bench()
    bench.ask(30)
    await bench.settle()
    expect(await bench.arrive(250)).toBe(8)
    const [first, second, ...rest] = bench.slots.splice(0)

    bench.time += 250
    first.end(MIB)
    expect(await bench.settle()).toBe(0)

    bench.time += 250
    second.end(MIB)
    expect(await bench.settle()).toBe(2)
    expect(rest).toHaveLength(6)
  })

  it('is the same whether blocks arrive one by one or several in one message', async () => {
    const limits = await Promise.all([1, 3].map(async together => {
      const bench = new Bench()
      bench.ask(100)
      await bench.settle()
      await bench.arrive(250)

      for (let i = 0; i < 10; i++) {
        bench.time += 250 * together - together

        for (let block = 0; block < together; block++) {
          bench.time++
          bench.slots.shift()?.end(MIB)
          await bench.settle()
        }
      }

      return Math.round(bench.window.limit / MIB)
    }))

    // a leaf in 250 ms
    expect(limits).toEqual([8, 8])
  })

  it('shrinks on a link that became slower', async () => {
    const bench = new Bench()
    bench.ask(100)
    await bench.settle()
    await bench.arrive(250)

    for (let i = 0; i < 20; i++) {
      bench.time += 1000
      bench.slots.shift()?.end(MIB)
      await bench.settle()
    }

    expect(bench.window.limit / MIB).toBeCloseTo(2, 1)
  })

  it('starts small again if a request stalls', async () => {
    const bench = new Bench()
    bench.ask(60)
    await bench.settle()
    expect(await bench.arrive(100)).toBeGreaterThan(10)

    bench.window.shrink()
    bench.slots.splice(0).forEach(slot => { slot.end() })
    expect(await bench.settle()).toBe(1)
  })

  it('serves the files in turn', async () => {
    const bench = new Bench()
    const large = {}
    const small = {}
    const order: string[] = []

    for (const [name, scope, count] of [['large', large, 4], ['small', small, 2]] as const) {
      for (let i = 0; i < count; i++) {
        void bench.window.acquire(MIB, scope, bench.signal).then(slot => {
          order.push(name)

          return bench.slots.push(slot)
        })
      }
    }

    await bench.settle()

    for (let i = 0; i < 6; i++) {
      await bench.arrive(8000)
    }

    expect(order).toEqual(['large', 'large', 'small', 'large', 'small', 'large'])
  })

  it('always admits a block that counts as no bytes', async () => {
    const bench = new Bench()
    bench.ask(1)
    bench.ask(1, 0, {})

    expect(await bench.settle()).toBe(2)
  })

  it('forgets waiters that give up', async () => {
    const bench = new Bench()
    const controller = new AbortController()
    bench.ask(1)
    await bench.settle()
    const waiting = bench.window.acquire(MIB, FILE, controller.signal)
    controller.abort(new Error('enough'))

    await expect(waiting).rejects.toThrow('enough')
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)

    bench.ask(1)
    expect(await bench.arrive(10)).toBe(1)
  })
})
