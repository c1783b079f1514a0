import { describe, expect, it } from 'vitest'
import { nearWords } from '../src/near-words.ts'

describe('near words', () => {
  it.each([
    ['ntoes', ['notes', 'nodes', 'other'], ['notes', 'nodes']],
    ['Photos', ['photos'], ['photos']],
    ['foo', ['add', 'cat'], []],
    ['ad', ['add', 'id', 'daemon'], ['add']],
    ['x'.repeat(100), ['x'.repeat(99)], []],
    ['a', ['b', ''], []]
  ])('of %s', (word, words, near) => {
    expect(nearWords(word, words)).toEqual(near)
  })

  it('are at most three, the nearest first', () => {
    expect(nearWords('photos', ['photoz', 'photo1', 'photos2', 'photosXY', 'photos'])[0]).toBe('photos')
    expect(nearWords('photos', ['photoz', 'photo1', 'photos2', 'photosXY'])).toHaveLength(3)
  })
})
