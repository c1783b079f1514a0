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
})
