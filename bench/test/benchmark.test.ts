import { expect, it } from 'vitest'
import { median, rotate, spread } from '../benchmark.ts'

it.each([
  [[3], 3],
  [[9, 1, 2], 2],
  [[4, 1], 2.5],
  [[10, 1, 4, 2], 3]
])('takes the median of %j, which is %f, and does not reorder them', (values, expected) => {
  const given = [...values]

  expect(median(given)).to.equal(expected)
  expect(given).to.deep.equal(values)
})

it('rotates: each round starts with a different item', () => {
  expect([0, 1, 2, 3].map(round => rotate(['a', 'b', 'c'], round).join(''))).toEqual(['abc', 'bca', 'cab', 'abc'])
})

it('tells the spread, which is the minimum and the maximum', () => {
  expect(spread([3, 1, 2])).to.equal('1-3')
})
