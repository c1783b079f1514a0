import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { notesOf, withVersion } from '../../scripts/release.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('a release', () => {
  it('gives packages, and what depends on them, one version, and leaves other dependencies', () => {
    const own = new Set(['@ipfsz/core', 'ipfsz'])
    const manifest = {
      name: 'ipfsz',
      version: '0.1.0',
      dependencies: { '@ipfsz/core': '^0.1.0', helia: '7.1.15' },
      optionalDependencies: { snappy: '^7.4.3' }
    }

    expect(withVersion(manifest, '1.2.3', own)).toEqual({
      ...manifest,
      version: '1.2.3',
      dependencies: { '@ipfsz/core': '^1.2.3', helia: '7.1.15' }
    })
    expect(withVersion({ name: 'example', version: '0.0.0' }, '1.2.3', own)).toMatchObject({ version: '0.0.0' })
  })

  it('has the notes of its version, and no others', () => {
    const changelog = '# Changelog\n\n## [1.1.0] - unreleased\n\nNew.\n\n## [1.0.0] - 2026-01-01\n\nOld.\n'

    expect(notesOf(changelog, '1.1.0')).toBe('New.')
    expect(notesOf(changelog, '1.0.0')).toBe('Old.')
    expect(() => notesOf(changelog, '1.0')).toThrow('no section')
    expect(notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), '0.1.0')).toContain('### Added')
  })
})

describe('the workflows', () => {
  const files = globSync('.github/workflows/*.yml', { cwd: ROOT })

  it.each(files)('%s may only read, but for jobs that say more, and runs what there is', file => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const { permissions } = parse(text) as { permissions: unknown }

    expect(permissions).toEqual({ contents: 'read' })
    // a script or suite that has moved
    const paths = Array.from(text.matchAll(/(?:^|\s)((?:\.ci|scripts)\/[\w./-]+)/g), ([, path]) => path)
    expect(paths.filter(path => globSync(path, { cwd: ROOT }).length === 0)).toEqual([])
    // what somebody typed is never part of a script
    expect(text).not.toMatch(/run:.*\$\{\{/)
  })

  it('pins with Renovate exactly what the manifests of packages pin', () => {
    const { packageRules } = JSON.parse(readFileSync(join(ROOT, '.github/renovate.json'), 'utf8')) as {
      packageRules: Array<{ matchPackageNames?: string[], rangeStrategy?: string }>
    }
    const [rule] = packageRules.filter(({ rangeStrategy }) => rangeStrategy === 'pin')
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'packages/node/package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    const pinned = Object.keys(dependencies).filter(name => /^\d/.test(dependencies[name]))

    expect(rule.matchPackageNames?.toSorted()).toEqual([...pinned, 'ipfs-unixfs'].toSorted())
  })
})
