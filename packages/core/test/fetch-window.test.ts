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
    this.window = new FetchWindow({ maxBytes: 32 * MIB, ahead: 3000, now: () => this.time, ...init })
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

describe('what is asked for at one time', () => {
  it('is one leaf at first, and then what arrives in the time ahead', async () => {
    const bench = new Bench()
    bench.ask(20)

    expect(await bench.settle()).toBe(1)
    // a leaf in 1,000 ms: three in three seconds
    expect(await bench.arrive(1000)).toBe(3)
    // three in 1,500 ms: six in three seconds
    expect(await bench.arrive(1500)).toBe(6)
  })

  it('is a leaf on a link on which less arrives', async () => {
    const bench = new Bench()
    bench.ask(20)
    await bench.settle()

    expect(await bench.arrive(8000)).toBe(1)
    expect(await bench.arrive(8000)).toBe(1)
  })

  it('is never more bytes than it may be', async () => {
    const bench = new Bench({ maxBytes: 5 * MIB })
    bench.ask(20)
    await bench.settle()

    expect(await bench.arrive(10)).toBe(5)
    expect(await bench.arrive(10)).toBe(5)
  })

  it('is never more than 256 blocks, however small they are', async () => {
    const bench = new Bench()
    bench.ask(1)
    bench.ask(1000, 100)
    await bench.settle()

    expect(await bench.arrive(10)).toBe(256)
  })

  it('is one block in any case, also one that is larger than all that may be asked for', async () => {
    const bench = new Bench({ maxBytes: MIB / 2 })
    bench.ask(2)

    expect(await bench.settle()).toBe(1)
    expect(await bench.arrive(100)).toBe(1)
  })

  it('does not count how long the first block took to be found', async () => {
    const bench = new Bench()
    bench.ask(1, 32 * 1024)
    await bench.settle()
    await bench.arrive(500, 1000)

    bench.ask(20)
    await bench.settle()
    // a leaf in 1,500 ms, of which 500 are the way there and back
    expect(await bench.arrive(1500)).toBe(3)
  })

  it('is asked for in batches: more when nearly all has arrived', async () => {
    const bench = new Bench()
    bench.ask(30)
    await bench.settle()
    await bench.arrive(300)
    const [first, ...rest] = bench.slots.splice(0)

    bench.time += 100
    first.end(MIB)
    expect(await bench.settle()).toBe(0)

    rest.forEach(slot => { slot.end(MIB) })
    expect(await bench.settle()).toBeGreaterThan(1)
  })

  it('is little again when what was asked for did not come', async () => {
    const bench = new Bench()
    bench.ask(60)
    await bench.settle()
    expect(await bench.arrive(100)).toBeGreaterThan(10)

    bench.window.shrink()
    bench.slots.splice(0).forEach(slot => { slot.end() })
    expect(await bench.settle()).toBe(1)
  })

  it('is of each file in its turn', async () => {
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

  it('does not count a block of no bytes, which is let in at any time', async () => {
    const bench = new Bench()
    bench.ask(1)
    bench.ask(1, 0, {})

    expect(await bench.settle()).toBe(2)
  })

  it('is less when who waits for it gives up, of whom nothing is left', async () => {
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
