import { describe, expect, it } from 'vitest'
import { ignoreMatcher } from '../src/disk/ignore.ts'

/** Which of the paths are left out. A path that ends in a slash is a directory. */
function ignored (patterns: string[], paths: string[]): string[] {
  const ignore = ignoreMatcher(patterns)

  return paths.filter(path => ignore(path.replace(/\/$/, ''), path.endsWith('/')))
}

describe('ignoreMatcher', () => {
  it.each<[string, string[], string[]]>([
    ['.git', ['.git', 'a/.git', '.git/'], ['a.git', '.gitignore', 'git', '.GIT']],
    ['*.log', ['x.log', 'a/b/y.log', '.log'], ['x.log.txt', 'log']],
    ['a/b', ['a/b'], ['c/a/b', 'b']],
    ['/out', ['out'], ['a/out']],
    ['out/', ['out/', 'a/out/'], ['out', 'a/out', 'outer/']],
    ['a?c', ['abc', 'x/a.c'], ['ac', 'a/c']],
    ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['z', 'b/a/z']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a']],
    ['[a-c].txt', ['a.txt', 'x/c.txt'], ['d.txt', '[a-c].txt']],
    ['(x)+\\[y]$', ['(x)+[y]$'], ['xy', '(x)+y$']],
    ['\\#x', ['#x'], ['x', '\\#x']],
    ['a\nb', ['a\nb'], ['a', 'b']],
    ['größe*', ['größe 🦆'], ['große']],
    // as git, byte by byte
    ['?', ['a'], ['é', '🦆']],
    ['??', ['ab', 'é'], ['a', 'éa']],
    ['[é][é]', ['é'], ['e', 'éé']],
    ['[!a]', ['b'], ['a', 'é']],
    ['*\u00a0', ['x\u00a0'], ['x']],
    ['à', ['à'], ['\u00c3', 'a']],
    ['\udcff?', ['\udcff\udcfe'], ['ab', 'ÿa', '\ufffda']],
    ['[[:alpha:]]', ['a', 'B'], ['1', 'é']]
  ])('leaves out what %s matches, and nothing else', (pattern, out, rest) => {
    expect(ignored([pattern], [...out, ...rest])).toEqual(out)
  })

  it('keeps what a later pattern takes back with !', () => {
    expect(ignored(['*.log', '!keep.log'], ['x.log', 'keep.log', 'a/keep.log'])).toEqual(['x.log'])
  })

  it('leaves out nothing for a pattern that begins with #, which is a comment', () => {
    expect(ignored(['#x'], ['#x', 'x'])).toEqual([])
  })

  it('leaves nothing out without patterns', () => {
    expect(ignored([], ['a', 'a/'])).toEqual([])
  })

  it('answers the same for more paths than it remembers', () => {
    const ignore = ignoreMatcher(['*.log'])
    const answers = Array.from({ length: 25_000 }, (_, i) => ignore(`${i}.${i % 2 === 0 ? 'log' : 'txt'}`, false))

    expect(answers.every((answer, i) => answer === (i % 2 === 0))).toBe(true)
  })
})
