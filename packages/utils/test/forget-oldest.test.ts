import { describe, expect, it } from 'vitest'
import { forgetOldest } from '../src/forget-oldest.ts'

describe('forgetOldest', () => {
  it('deletes what was added first once there is too much', () => {
    const keys = new Set(['a', 'b'])
    forgetOldest(keys, 2)
    expect([...keys]).toEqual(['a', 'b'])

    keys.add('c')
    forgetOldest(keys, 2)
    expect([...keys]).toEqual(['b', 'c'])
  })

  it('goes by the order of insertion: what was deleted and added again is not the oldest', () => {
    const values = new Map([['a', 1], ['b', 2]])
    values.delete('a')
    values.set('a', 3).set('c', 4)
    forgetOldest(values, 2)

    expect([...values]).toEqual([['a', 3], ['c', 4]])
  })

  it('asks for the keys once: V8 would pass all holes of those that were deleted, each time', () => {
    let asked = 0
    const keys = new class extends Set<number> {
      override keys (): SetIterator<number> {
        asked++

        return super.keys()
      }
    }()

    for (let i = 0; i < 1000; i++) {
      forgetOldest(keys.add(i), 10)
    }

    expect([keys.size, keys.has(990), asked]).toEqual([10, true, 1])
  })

  it('begins anew after a collection was cleared', () => {
    const keys = new Set(['a', 'b'])
    forgetOldest(keys, 1)
    keys.clear()
    forgetOldest(keys.add('c').add('d'), 1)
    expect([...keys]).toEqual(['d'])
  })
})
