import { describe, expect, it } from 'vitest'
import { mapOrdered } from '../src/util/map-ordered.ts'

/** A promise and the function that resolves it. */
function deferred<T> (): { promise: Promise<T>, resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>(done => { resolve = done })

  return { promise, resolve }
}

/** Let all pending promises settle. */
async function settle (): Promise<void> {
  await new Promise(resolve => { setImmediate(resolve) })
}

/** Counts from 0. Records how many numbers were taken, and whether the source was closed. */
class Numbers {
  taken = 0
  closed = false
  readonly #count: number

  constructor (count = Infinity) {
    this.#count = count
  }

  async * [Symbol.asyncIterator] (): AsyncGenerator<number> {
    try {
      while (this.taken < this.#count) {
        yield this.taken++
      }
    } finally {
      this.closed = true
    }
  }
}

async function all<T> (source: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(source)
}

describe('mapOrdered', () => {
  it('yields in the order of the source, whatever finishes first', async () => {
    const gates = [deferred<string>(), deferred<string>(), deferred<string>()]
    const results = all(mapOrdered([0, 1, 2], async i => gates[i].promise, { concurrency: 3 }))

    gates[2].resolve('c')
    gates[0].resolve('a')
    await settle()
    gates[1].resolve('b')

    expect(await results).toEqual(['a', 'b', 'c'])
  })

  it('maps sync, async and empty sources', async () => {
    expect(await all(mapOrdered(new Numbers(5), n => n * 2, { concurrency: 2 }))).toEqual([0, 2, 4, 6, 8])
    expect(await all(mapOrdered([1, 2], async n => n * 2, { concurrency: 9 }))).toEqual([2, 4])
    expect(await all(mapOrdered([], n => n, { concurrency: 1 }))).toEqual([])
  })

  it('takes no more values ahead than its concurrency', async () => {
    const source = new Numbers()
    const results = mapOrdered(source, async n => n, { concurrency: 3 })

    expect((await results.next()).value).toBe(0)
    await settle()
    expect(source.taken).toBeLessThanOrEqual(4)

    expect((await results.next()).value).toBe(1)
    await settle()
    expect(source.taken).toBeLessThanOrEqual(5)
    await results.return(undefined)
  })

  it('yields the first result before the source produces the second value', async () => {
    const gate = deferred<void>()
    const results = mapOrdered((async function * () {
      yield 1
      await gate.promise
      yield 2
    })(), n => n, { concurrency: 2 })

    expect((await results.next()).value).toBe(1)
    gate.resolve()
    expect((await results.next()).value).toBe(2)
  })

  it('closes the source if the caller stops reading', async () => {
    const source = new Numbers()

    for await (const n of mapOrdered(source, n => n, { concurrency: 2 })) {
      if (n === 3) {
        break
      }
    }

    await settle()
    expect(source.closed).toBe(true)
  })

  it('maps no value that the source produces after the caller stopped reading', async () => {
    const second = deferred<number>()
    const mapped: number[] = []
    async function * source (): AsyncGenerator<number> {
      yield 1
      yield second.promise
    }

    for await (const value of mapOrdered(source(), value => { mapped.push(value); return value }, { concurrency: 2 })) {
      expect(value).toBe(1)
      break
    }

    second.resolve(2)
    await settle()

    expect(mapped).toEqual([1])
  })

  it('yields the results before a failed one, then throws and closes the source', async () => {
    const source = new Numbers()
    const results = mapOrdered(source, async n => {
      if (n === 2) {
        throw new Error('two')
      }

      return n
    }, { concurrency: 4 })

    expect((await results.next()).value).toBe(0)
    expect((await results.next()).value).toBe(1)
    await expect(results.next()).rejects.toThrow('two')
    await settle()
    expect(source.closed).toBe(true)
  })

  it('yields the results before the source failed, then throws', async () => {
    const results = mapOrdered((async function * () {
      yield 1
      throw new Error('source')
    })(), async n => settle().then(() => n), { concurrency: 4 })

    expect((await results.next()).value).toBe(1)
    await expect(results.next()).rejects.toThrow('source')
  })

  it.each(['source', 'work'])("aborts with the signal's reason while the %s stalls", async (where) => {
    const controller = new AbortController()
    const never = new Promise<number>(() => {})
    const reason = new Error('enough')
    const source = where === 'source' ? (async function * () { yield never })() : [1]
    const results = all(mapOrdered(source, async () => never, { concurrency: 2, signal: controller.signal }))

    await settle()
    controller.abort(reason)
    await expect(results).rejects.toBe(reason)
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a concurrency of %d', async (concurrency) => {
    await expect(
      all(mapOrdered([1], n => n, { concurrency }))
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('takes no value if the signal is already aborted', async () => {
    const source = new Numbers()
    await expect(all(mapOrdered(source, n => n, { concurrency: 2, signal: AbortSignal.abort() })))
      .rejects.toMatchObject({ name: 'AbortError' })
    expect(source.taken).toBe(0)
  })
})
