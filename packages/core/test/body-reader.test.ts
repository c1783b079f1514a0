import fc from 'fast-check'
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

/** Reads a body with these chunks: those in one group arrive at once. */
function readerOf (groups: readonly Uint8Array[][]) {
  const rest = groups.map(group => [...group])
  const arrived: Uint8Array[] = []
  const read = vi.fn(async () => {
    arrived.push(...rest.shift() ?? [])

    return { value: arrived.shift() }
  })
  // as memory that is used again
  const release = vi.fn((chunk: Uint8Array) => { chunk.fill(0xff) })
  const reader = new BodyReader('http://gateway', {
    body: { getReader: () => ({ read, waiting: () => arrived.shift(), release }), cancel: async () => {} }
  }, { stallTimeout: 10_000, signal: new AbortController().signal })

  return { reader, read, release }
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

describe('the bytes of a body', () => {
  it('are those of its chunks, which are released once they are read', async () => {
    await fc.assert(fc.asyncProperty(
      fc.array(fc.array(fc.uint8Array({ min: 0, max: 200, minLength: 1, maxLength: 40 }), { minLength: 1 })),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
      async (groups, lengths) => {
        const chunks = groups.flat()
        const expected = chunks.flatMap(chunk => [...chunk])
        const { reader, read, release } = readerOf(groups)
        const actual: number[] = []

        for (let i = 0, length = 1; length > 0; i++) {
          const bytes = await reader.read(lengths[i % lengths.length])
          length = bytes.byteLength
          actual.push(...bytes)
        }

        expect(actual).toEqual(expected)
        expect(release.mock.calls.map(([chunk]) => chunk)).toEqual(chunks)
        // and for the end
        expect(read.mock.calls.length).toBeLessThanOrEqual(groups.length + 2)
      }
    ))
  })

  it('are not given to a reader that has gone', async () => {
    const controller = new AbortController()
    const body = {
      getReader: () => ({ read: async () => ({}), waiting: () => new Uint8Array(1) }),
      cancel: async () => {}
    }
    const reader = new BodyReader('http://gateway', { body }, { stallTimeout: 10_000, signal: controller.signal })
    controller.abort()

    await expect(reader.read(1)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
  })
})
