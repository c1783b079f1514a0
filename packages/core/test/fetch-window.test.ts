import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { FetchWindow } from '../src/fetch/fetch-window.ts'
import type { Slot } from '../src/fetch/fetch-window.ts'

const MIB = 1024 * 1024
const FILE = {}

/** A window with a manual clock, and the slots that it granted. */
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

  /** Wait until the window has granted all slots that it may. */
  async settle (): Promise<number> {
    await new Promise(resolve => { setImmediate(resolve) })

    return this.slots.length
  }

  /** Everything in flight arrives after this many milliseconds. */
  async arrive (time: number, size = MIB): Promise<number> {
    this.time += time
    this.slots.splice(0).forEach(slot => { slot.end(size) })

    return this.settle()
  }
}

describe('FetchWindow', () => {
  it('allows one leaf at first, then what arrives in `ahead` milliseconds', async () => {
    const bench = new Bench()
    bench.ask(20)

    expect(await bench.settle()).toBe(1)
    // a leaf in 500 ms: four in two seconds
    expect(await bench.arrive(500)).toBe(4)

    // four in 1,000 ms: eight in two seconds, once it is clear that no more arrived with them
    await bench.arrive(1000)
    await bench.arrive(500)
    expect(bench.window.limit).toBe(8 * MIB)
  })

  it('always allows one leaf, however slow the link', async () => {
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
    // the fifth is requested once a quarter of these has arrived
    expect(await bench.arrive(100)).toBe(4)
    expect(await bench.arrive(100)).toBeLessThanOrEqual(5)
  })

  it('never allows more than 256 blocks, however small they are', async () => {
    const bench = new Bench()
    bench.ask(1)
    bench.ask(1000, 100)
    await bench.settle()

    expect(await bench.arrive(10)).toBe(256)
  })

  it('always allows one block, even if it exceeds the limit', async () => {
    const bench = new Bench({ maxBytes: MIB / 2 })
    bench.ask(2)

    expect(await bench.settle()).toBe(1)
    expect(await bench.arrive(100)).toBe(1)
  })

  it('does not count the round trip as transfer time', async () => {
    const bench = new Bench()
    bench.ask(1, 32 * 1024)
    await bench.settle()
    await bench.arrive(250, 1000)

    bench.ask(20)
    await bench.settle()
    // a leaf in 750 ms, of which 250 ms are the round trip
    expect(await bench.arrive(750)).toBe(4)
  })

  it('requests more only once a quarter has arrived', async () => {
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

  it('reaches the same limit whether blocks arrive one by one or several in one message', async () => {
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

  it('shrinks when the link becomes slower', async () => {
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

  it('starts over with one leaf if a request stalls', async () => {
    const bench = new Bench()
    bench.ask(60)
    await bench.settle()
    expect(await bench.arrive(100)).toBeGreaterThan(10)

    bench.window.shrink()
    bench.slots.splice(0).forEach(slot => { slot.end() })
    expect(await bench.settle()).toBe(1)
  })

  it('serves files in turn', async () => {
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

  it('forgets waiters whose signal aborts', async () => {
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
