import { describe, expect, it, vi } from 'vitest'
import { SingleFlight } from '../src/single-flight.ts'

describe('SingleFlight', () => {
  it('does the same once for all who want it at the same time, and anew for who comes later', async () => {
    const flights = new SingleFlight<number>()
    const work = vi.fn<() => Promise<number>>().mockResolvedValueOnce(1).mockResolvedValueOnce(2)

    const both = [flights.run('a', work), flights.run('a', work)]
    expect([flights.has('a'), flights.has('b'), flights.isIdle, ...flights.keys()]).toEqual([true, false, false, 'a'])
    expect(await Promise.all(both)).toEqual([1, 1])
    expect([flights.has('a'), flights.isIdle]).toEqual([false, true])
    expect(await flights.run('a', work)).toBe(2)
    expect(work).toHaveBeenCalledTimes(2)
  })

  it('tells all who wait of an error, and remembers none', async () => {
    const flights = new SingleFlight<number>()
    const err = new Error('no')
    const failed = await Promise.allSettled([1, 2].map(async () => flights.run('a', async () => { throw err })))

    expect(failed).toEqual([1, 2].map(() => ({ status: 'rejected', reason: err })))
    expect(await flights.run('a', async () => 1)).toBe(1)
  })

  it('lets one who aborts go at once, and works on for the others', async () => {
    const flights = new SingleFlight<number>()
    const { promise, resolve } = Promise.withResolvers<number>()
    const signals: AbortSignal[] = []
    const work = async (signal: AbortSignal): Promise<number> => {
      signals.push(signal)

      return promise
    }
    const leaving = new AbortController()
    const left = flights.run('a', work, leaving.signal)
    const stays = flights.run('a', work)
    leaving.abort(new Error('enough'))

    await expect(left).rejects.toThrow('enough')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    resolve(1)
    expect(await stays).toBe(1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('ends the work once the last one has left, and does it anew for who comes then', async () => {
    const flights = new SingleFlight<number>()
    const signals: AbortSignal[] = []
    const never = async (signal: AbortSignal): Promise<number> => {
      signals.push(signal)

      return new Promise((_resolve, reject) => { signal.addEventListener('abort', () => { reject(signal.reason) }) })
    }
    const controllers = [1, 2].map(() => new AbortController())
    const waits = controllers.map(async ({ signal }) => flights.run('a', never, signal))
    controllers.forEach(controller => { controller.abort(new Error('enough')) })
    const results = await Promise.allSettled(waits)

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(signals.map(({ aborted, reason }) => [aborted, reason.name])).toEqual([[true, 'AbortError']])
    expect(await flights.run('a', async () => 2)).toBe(2)
  })

  it('refuses who has aborted before, and starts nothing for them', async () => {
    const work = vi.fn<() => Promise<number>>()

    const flights = new SingleFlight<number>()

    await expect(flights.run('a', work, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    expect(work).not.toHaveBeenCalled()
  })
})
