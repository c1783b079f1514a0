import { describe, expect, it } from 'vitest'
import { ignoreMatcher } from '../src/disk/ignore.ts'

describe('ignoreMatcher', () => {
  it.each<[string, string[], string[]]>([
    ['.git', ['.git', 'a/.git'], ['a.git', '.gitignore', 'git']],
    ['*.log', ['x.log', 'a/b/y.log', '.log'], ['x.log.txt', 'log']],
    ['a/b', ['a/b'], ['c/a/b', 'b', 'a/b/c']],
    ['/out', ['out'], ['a/out']],
    ['out/', ['out', 'a/out'], ['outer']],
    ['a?c', ['abc', 'x/a.c'], ['ac', 'a/c']],
    ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['z', 'b/a/z']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a']],
    ['(x)+[y]$', ['(x)+[y]$'], ['xy']],
    ['größe*', ['größe 🦆'], ['große']]
  ])('leaves out what %s names, and nothing else', (pattern, out, rest) => {
    const ignore = ignoreMatcher([pattern])

    expect([...out, ...rest].filter(ignore)).toEqual(out)
  })

  it('leaves out nothing without patterns', () => {
    expect(ignoreMatcher([])('a')).toBe(false)
  })
})
