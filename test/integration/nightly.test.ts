import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ALWAYS, COMMON, NIGHTLY } from '../../scripts/nightly-suites.ts'
import { filesOf, listFiles } from '../../scripts/nightly/files.ts'
import { dueSuites, runSuites } from '../../scripts/nightly/run-suites.ts'
import { guardedFiles, hashGuarded, readStamp } from '../../scripts/nightly/stamp.ts'
import type { NightlySuite } from '../../scripts/nightly-suites.ts'
import type { NamedSuite } from '../../scripts/nightly/run-suites.ts'

const ROOT = join(import.meta.dirname, '../..')
/** They have the tags of other tests in them. */
const OF_TAGS = ['test/integration/nightly.test.ts', 'test/integration/pairwise.test.ts']

/** The globs that match no file. One git says so of all: a process for each took as long as a suite. */
function withoutFiles (globs: readonly string[]): string[] {
  const { stderr } = spawnSync('git', listFiles(globs, ['--error-unmatch']), { cwd: ROOT, encoding: 'utf8' })

  return [...stderr.matchAll(/pathspec ':\(glob\)(.*?)' did not match/g)].map(([, glob]) => glob)
}

describe('the table of suites', () => {
  it('guards every file of the repository', () => {
    const guarded = new Set([
      ...filesOf(ROOT, Object.values(ALWAYS).flat()),
      ...Object.values(NIGHTLY).flatMap(suite => guardedFiles(ROOT, suite))
    ])

    expect(filesOf(ROOT, ['**']).filter(path => !guarded.has(path) && !path.startsWith('scripts/nightly/stamps/')))
      .toEqual([])
  })

  it('has no glob that matches nothing', () => {
    const suites = Object.values(NIGHTLY)
    const globs = [
      ...COMMON,
      ...Object.values(ALWAYS).flat(),
      ...suites.flatMap(({ guards }) => guards),
      ...suites.flatMap(({ runs }) => runs.flatMap(run => 'project' in run ? run.files : [run.script]))
    ]

    expect(withoutFiles(globs)).toEqual([])
  })

  it.each([
    ['nightly', /module-tag nightly|'nightly'|tagCombinations\(/],
    ['slow', /module-tag slow|tags: 'slow'|\['slow'\]/]
  ])('runs every test with the tag %s, and no suite without one', (tag, pattern) => {
    const runs = Object.values(NIGHTLY).flatMap(({ runs }) => runs).flatMap(
      run => 'project' in run && (run.tag ?? 'nightly') === tag ? [filesOf(ROOT, run.files)] : []
    )
    const tagged = new Set(filesOf(ROOT, ['packages/*/test/*.test.ts', 'bench/test/*.test.ts', 'test/**/*.test.ts'])
      .filter(path => !OF_TAGS.includes(path) && pattern.test(readFileSync(join(ROOT, path), 'utf8'))))

    expect([...tagged].filter(path => !runs.flat().includes(path))).toEqual([])
    expect(runs.filter(files => !files.some(path => tagged.has(path)))).toEqual([])
  })
})

describe('a nightly suite', () => {
  const SUITE: NightlySuite = { runs: [{ script: 'torture.ts' }], minutes: 1, guards: ['repo/**'] }
  const LARGE: NightlySuite = { runs: [{ script: 'torture.ts' }], minutes: 20, guards: ['**/*.ts'] }
  const SUITES: NamedSuite[] = [['large', LARGE], ['small', SUITE]]
  let root: string
  let ran: NightlySuite[]

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ipfsz-nightly-'))
    ran = []
    execFileSync('git', ['init', '--quiet', root])
    write('torture.ts', 'kill()')
    write('repo/lock.ts', 'lock()')
    write('repo/deep/pins.ts', 'pin()')
    write('other.ts', 'other()')
  })

  afterEach(() => { rmSync(root, { recursive: true }) })

  function write (path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }

  function runAll (suites = SUITES, options = {}): ReturnType<typeof runSuites> {
    return runSuites(root, suites, {
      run: (_, suite) => ran.push(suite) > 0,
      onLine: () => {},
      ...options
    })
  }

  function due (): string[] {
    return dueSuites(root, SUITES).map(([name]) => name)
  }

  it('is due until it was green, and the one that guards the fewest files comes first', () => {
    expect(due()).toEqual(['small', 'large'])
    expect(runAll()).toEqual([])
    expect(ran).toEqual([LARGE, SUITE])
    expect(due()).toEqual([])
  })

  it.each([
    ['a file that it guards changes', () => { write('repo/lock.ts', 'lock(1)') }],
    ['a new file is there that is not committed', () => { write('repo/deep/new.ts', '') }],
    ['a file is deleted', () => { rmSync(join(root, 'repo/lock.ts')) }],
    ['a file is renamed', () => {
      rmSync(join(root, 'repo/lock.ts'))
      write('repo/locks.ts', 'lock()')
    }],
    ['its script changes', () => { write('torture.ts', 'kill(1)') }]
  ])('is due again if %s', (_, change) => {
    runAll()
    execFileSync('git', ['add', '.'], { cwd: root })
    change()

    expect(due()).toContain('small')
  })

  it('is not due if other files change, or the same is committed', () => {
    runAll()
    write('other.ts', 'more()')
    execFileSync('git', ['add', '.'], { cwd: root })

    expect(due()).toEqual(['large'])
  })

  it('has the same hash wherever the repository is, links included, and another if it is run otherwise', () => {
    symlinkSync('deep', join(root, 'repo/link'))
    const hash = hashGuarded(root, SUITE)
    const clone = join(root, 'clone')
    execFileSync('git', ['add', '.'], { cwd: root })
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '-m', 'a'], {
      cwd: root
    })
    execFileSync('git', ['clone', '--quiet', root, clone])

    expect(hashGuarded(clone, SUITE)).toBe(hash)
    expect(hashGuarded(clone, { ...SUITE, runs: [{ script: 'torture.ts', args: ['--kills', '10'] }] })).not.toBe(hash)
  })

  it('is due again for another version of a dependency, and not for a release', () => {
    const release = (version: string, dependency = '1.0.0', marks = {}): void => {
      const dependencies = { '@ipfsz/core': `^${version}`, helia: '^1.0.0' }
      write('repo/package.json', JSON.stringify({ version, dependencies }, undefined, 2))
      write('package-lock.json', JSON.stringify({
        packages: {
          '': { name: 'workspace' },
          'node_modules/helia': { version: dependency, integrity: `of ${dependency}`, ...marks },
          'packages/core': { name: '@ipfsz/core', version }
        }
      }))
    }

    release('0.1.0')
    runAll()
    release('0.2.0', '1.0.0', { dev: true })
    expect(due()).toEqual([])
    release('0.2.0', '1.0.1')
    expect(due().toSorted()).toEqual(['large', 'small'])
    release('0.2.0')
    write('repo/package.json', readFileSync(join(root, 'repo/package.json'), 'utf8').replace('^1.0.0', '^1.0.1'))
    expect(due()).toEqual(['small'])
  })

  it('is not started if it would end too late, and a shorter one is', () => {
    expect(runAll(SUITES, { within: 5 })).toEqual([])
    expect(ran).toEqual([SUITE])
    expect(due()).toEqual(['large'])
  })

  it('gets no stamp if it fails, nor if what it guards changes while it runs', () => {
    expect(runAll(SUITES, { run: (_: string, suite: NightlySuite) => suite === LARGE })).toEqual(['small'])
    expect(readStamp(root, 'small')).toBeUndefined()

    runAll(SUITES, {
      run: () => {
        write('repo/lock.ts', 'other()')
        return true
      }
    })
    expect(due()).toContain('large')
  })
})
