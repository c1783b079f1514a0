/** The cache of a service worker, in the browser's storage. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DATABASE, StoredBlocks } from '../src/service-worker/stored-blocks.ts'
import { keptBlocks } from '../../../test/support/kept-blocks.ts'

const SIZE = 10_000

beforeEach(async () => {
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(DATABASE)
    request.addEventListener('success', resolve)
    request.addEventListener('error', reject)
  })
})

/** Some blocks, with the numbers as keys and content. */
function blocks (...numbers: number[]): Map<string, Uint8Array> {
  return new Map(numbers.map(number => [String(number), new Uint8Array(SIZE).fill(number)]))
}

async function found (stored: StoredBlocks, ...numbers: number[]): Promise<number[]> {
  const all = await Promise.all(numbers.map(async number => [number, await stored.get(String(number))] as const))

  return all.filter(([number, bytes]) => bytes?.byteLength === SIZE && bytes.every(byte => byte === number))
    .map(([number]) => number)
}

describe('stored blocks', () => {
  it('are there for others that share the database, within the size', async () => {
    const [one, other] = [new StoredBlocks(5 * SIZE), new StoredBlocks(5 * SIZE)]

    await Promise.all([one.put(blocks(1, 2, 3)), other.put(blocks(3, 4, 5)), one.put(blocks(6))])
    const { total, size, count } = await keptBlocks()

    expect(total).toBeLessThanOrEqual(5 * SIZE)
    expect([count, size]).toEqual([4, 4 * SIZE])
    expect(await found(other, 6)).toEqual([6])
    expect((await found(one, 1, 2, 3, 4, 5, 6)).length).toBe(4)
  })

  it('are dropped that were used longest ago', async () => {
    const stored = new StoredBlocks(3.5 * SIZE)

    for (const number of [1, 2, 3]) {
      await stored.put(blocks(number))
      // the clock of entries is in milliseconds
      const now = Date.now()
      while (Date.now() === now);
    }

    await stored.put(blocks(4))
    expect(await found(stored, 1, 2, 3, 4)).toEqual([2, 3, 4])
    // alone too large
    await stored.put(new Map([['large', new Uint8Array(4 * SIZE)]]))
    expect(await found(stored, 2, 3, 4)).toEqual([2, 3, 4])
  })

  it('are not waited for if the database does not answer', async () => {
    const stored = new StoredBlocks(5 * SIZE)
    await stored.put(blocks(1))
    expect(await found(stored, 1)).toEqual([1])

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    // its events never come
    const get = vi.spyOn(IDBObjectStore.prototype, 'get').mockReturnValue(new EventTarget() as IDBRequest)
    onTestFinished(() => {
      vi.useRealTimers()
      get.mockRestore()
    })
    const reading = found(stored, 1)
    await vi.waitFor(() => { expect(get).toHaveBeenCalled() })
    vi.advanceTimersByTime(10_000)

    expect(await reading).toEqual([])
    expect(await found(stored, 1)).toEqual([])
  })

  it('are gone without an error if the browser removes them, and are stored anew', async () => {
    const stored = new StoredBlocks(5 * SIZE)
    await stored.put(blocks(1))
    indexedDB.deleteDatabase(DATABASE)

    await expect.poll(async () => found(stored, 1)).toEqual([])
    await stored.put(blocks(2))
    expect(await found(stored, 2)).toEqual([2])
  })

  it('are none if there is no size for them', async () => {
    const stored = new StoredBlocks(0)
    await stored.put(blocks(1))

    expect(await found(stored, 1)).toEqual([])
    expect((await indexedDB.databases()).some(({ name }) => name === DATABASE)).toBe(false)
  })
})
