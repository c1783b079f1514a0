import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BodyReader } from '../src/fetch/http/body-reader.ts'

/** Read a body whose chunks come every 100 ms, and have so many bytes. */
async function readAll (sizes: readonly number[]): Promise<BodyReader> {
  vi.useFakeTimers()
  onTestFinished(() => { vi.useRealTimers() })
  const rest = sizes.values()

  const body = {
    getReader: () => ({
      async read () {
        vi.advanceTimersByTime(100)
        const { value } = rest.next()

        return value == null ? {} : { value: new Uint8Array(value) }
      }
    }),
    cancel: async () => {}
  }
  const { signal } = new AbortController()
  const reader = new BodyReader('http://gateway', { body }, { stallTimeout: 10_000, signal })
  await reader.read(sizes.reduce((sum, size) => sum + size))

  return reader
}

describe('the rate of a body', () => {
  it.each([
    ['all bytes', [500, 500, 500, 500, 500, 500], 5],
    ['all bytes, if the last ones came more slowly', [2000, 2000, 500, 500], 12.5],
    ['the last bytes, if they came faster', [100, 100, 500, 500, 2000, 2000], 20],
    ['all bytes that are there, if there are few', [100, 2000], 10.5]
  ])('is that of %s', async (_, sizes, rate) => {
    expect((await readAll(sizes)).rate).toBe(rate)
  })

  it('is not known at first', async () => {
    expect((await readAll([1000])).rate).toBeUndefined()
  })
})
