import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitPath, withoutDots } from '../src/directory/entry-name.ts'

/** Paths of what may be taken for something else in them. */
const paths = fc.array(fc.constantFrom('/', '.', '..', '\\', 'a', 'a.', '.a', 'ä'), { maxLength: 12 })
  .map(parts => parts.join(''))

it('splits a path at every slash that is not escaped', () => {
  fc.assert(fc.property(paths, path => {
    expect(splitPath(path)).toEqual(path.split(/(?<!\\)\//).filter(Boolean))
  }))
})

it('removes the names of one dot from a path', () => {
  fc.assert(fc.property(paths, path => {
    expect(withoutDots(path)).toBe(path.split('/').filter(name => name !== '.').join('/'))
  }))
})
