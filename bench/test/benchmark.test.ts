import { describe, expect, it } from 'vitest'
import { median, rotate, spread } from '../benchmark.ts'

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 2], 2],
    [[4, 1], 2.5],
    [[10, 1, 4, 2], 3]
  ])('of %j is %f', (values, expected) => {
    expect(median(values)).to.equal(expected)
  })

  it('does not reorder its input', () => {
    const values = [2, 1]
    median(values)

    expect(values).to.deep.equal([2, 1])
  })
})

describe('rotate', () => {
  it('starts with a different item in each round', () => {
    expect(
      [0, 1, 2, 3].map(round => rotate(['a', 'b', 'c'], round).join(''))
    ).to.deep.equal(['abc', 'bca', 'cab', 'abc'])
  })
})

describe('spread', () => {
  it('is the minimum and the maximum', () => {
    expect(spread([3, 1, 2])).to.equal('1-3')
  })
})
