import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { raceAbort } from '../src/race-abort.ts'

const never = new Promise<never>(() => {})

describe('raceAbort', () => {
  it('returns the value, or throws the error, and leaves no listener', async () => {
    const { signal } = new AbortController()
    const err = new Error('no')

    expect(await raceAbort(Promise.resolve(1), signal)).toBe(1)
    expect(await raceAbort(2, signal)).toBe(2)
    expect(await raceAbort(Promise.resolve(3))).toBe(3)
    await expect(raceAbort(Promise.reject(err), signal)).rejects.toBe(err)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('throws the reason of the signal to all that wait, and they share a listener', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const reason = new Error('enough')
    const waits = [never, never, Promise.reject(new Error('later'))].map(async wait => raceAbort(wait, signal))
    waits[2].catch(() => {})

    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    controller.abort(reason)

    // at once: what they wait for may never come
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await expect(waits[0]).rejects.toBe(reason)
    await expect(waits[1]).rejects.toBe(reason)
    await expect(raceAbort(never, signal)).rejects.toBe(reason)
    await expect(raceAbort(4, signal)).rejects.toBe(reason)
    // nobody waits for its error any more
    await expect(raceAbort(Promise.reject(new Error('too late')), signal)).rejects.toBe(reason)
  })
})
