import { describe, expect, it } from 'vitest'
import { eachValue, pairwise, product, tagCombinations } from '../support/pairwise.ts'

const PARAMETERS = {
  codec: ['zstd', 'gzip', 'lz4', 'none'],
  verify: ['hash', 'none'],
  store: ['memory', 'files', 's3']
}

describe('pairwise combinations', () => {
  it('have every two values of different parameters together', () => {
    const rows = pairwise(PARAMETERS)
    const pairs = ([a, b]: [keyof typeof PARAMETERS, keyof typeof PARAMETERS]) =>
      new Set(rows.map(row => `${row[a]} ${row[b]}`)).size

    expect(pairs(['codec', 'verify'])).toBe(4 * 2)
    expect(pairs(['codec', 'store'])).toBe(4 * 3)
    expect(pairs(['verify', 'store'])).toBe(2 * 3)
  })

  it('are fewer than all, none of them twice, and the same each time', () => {
    const rows = pairwise(PARAMETERS)

    expect(product(PARAMETERS)).toHaveLength(4 * 2 * 3)
    expect(rows.length).toBeLessThan(15)
    expect(new Set(rows.map(row => JSON.stringify(row))).size).toBe(rows.length)
    expect(pairwise(PARAMETERS)).toEqual(rows)
  })

  it('have the tags of their tests: none for each value, slow for the other pairs, nightly for the rest', () => {
    const tags = tagCombinations(PARAMETERS).map(({ tags }) => tags.join(' '))
    const count = (tag: string): number => tags.filter(one => one === tag).length

    expect(eachValue(PARAMETERS)).toHaveLength(4)
    expect([count(''), count('nightly')]).toEqual([4, 24 - 4 - count('slow')])
    expect(count('slow')).toBeGreaterThanOrEqual(pairwise(PARAMETERS).length - 4)
    expect(tagCombinations({ a: [1, 2], b: [3, 4] }, 'nightly').map(({ tags }) => tags)).toEqual([
      [], ['nightly'], ['nightly'], []
    ])
  })

  it('of one parameter are its values', () => {
    expect(pairwise({ count: [1, 2] })).toEqual([{ count: 1 }, { count: 2 }])
  })
})
