import { describe, expect, it } from 'vitest'
import { mapOrdered } from '../src/map-ordered.ts'

describe('mapOrdered', () => {
  it('passes on the error of the work, although the source throws when it is closed', async () => {
    const source: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 1 }),
        return: () => { throw new Error('closing') }
      })
    }
    const results = mapOrdered(source, async () => { throw new Error('work') }, { concurrency: 1 })

    await expect(results.next()).rejects.toThrow('work')
  })
})
