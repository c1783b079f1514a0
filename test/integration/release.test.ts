import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { packName } from '../../scripts/empty-project.ts'
import { SEPARATOR } from '../../scripts/licences.ts'
import { documentsBeforeRelease, notesOf, withDate, withVersion } from '../../scripts/release.ts'
import { bundledIn, publishedSbom } from '../../scripts/sbom.ts'

const ROOT = join(import.meta.dirname, '../..')

function temporaryDirectory (): string {
  const directory = mkdtempSync(join(tmpdir(), 'ipfsz-release-'))
  onTestFinished(() => { rmSync(directory, { recursive: true }) })

  return directory
}

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

  it('dates the section of its version, and refuses a version without one', () => {
    const changelog = '## [1.1.0] - unreleased\n\nNew.\n\n## [1.0.0] - 2026-01-01\n'
    const dated = changelog.replace('unreleased', '2026-02-03')

    expect(withDate(changelog, '1.1.0', '2026-02-03')).toBe(dated)
    expect(withDate(dated, '1.1.0', '2026-02-04')).toBe(dated)
    expect(() => withDate(changelog, '1.2.0', '2026-02-03')).toThrow('no section [1.2.0]')
  })

  it.each(['0.2.0-rc.1', '0.2', 'v0.2.0'])('refuses the version %s', version => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/release.ts', 'version', version], {
      cwd: ROOT, encoding: 'utf8'
    })

    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('is not a version') })
  })

  it('finds the documents that say that there is none on npm', () => {
    const directory = temporaryDirectory()
    execFileSync('git', ['init', '--quiet', directory])
    mkdirSync(join(directory, 'core'))
    writeFileSync(join(directory, 'core/README.md'), 'Not on npm yet: clone it.\n')
    writeFileSync(join(directory, 'CONTRIBUTING.md'), 'Delete "not on npm yet".\n')
    writeFileSync(join(directory, 'README.md'), 'Install it.\n')

    expect(documentsBeforeRelease(directory)).toEqual(['core/README.md'])
  })

  describe('that is published', () => {
    const packs = globSync('packages/*/package.json', { cwd: ROOT }).map(file => {
      const { name, version } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Record<string, string>

      return { name, version, pack: packName(name, version) }
    })

    /** With an npm whose registry has some packs, by their names, with these bytes. */
    function publish (registry: Readonly<Record<string, string>>, ...options: string[]): {
      status: number | null
      stderr: string
      published: string[]
      calls: string[]
    } {
      const directory = temporaryDirectory()
      packs.forEach(({ name, pack }) => { writeFileSync(join(directory, pack), name) })

      for (const { name, version } of packs.filter(({ name }) => registry[name] != null)) {
        const digest = createHash('sha512').update(registry[name]).digest('base64')
        writeFileSync(join(directory, `${name}@${version}`.replace('/', '-')), `"sha512-${digest}"`)
      }

      writeFileSync(join(directory, 'npm'), `#!/bin/sh
cd '${directory}'
echo "$*" >> calls
[ "$1" = publish ] || cat "$(echo "$2" | tr / -)" 2> /dev/null || { echo '{ "error": { "code": "E404" } }'; exit 1; }
`, { mode: 0o755 })

      const { status, stderr } = spawnSync(
        process.execPath,
        ['scripts/release.ts', 'publish', directory, ...options],
        { cwd: ROOT, encoding: 'utf8', env: { ...process.env, PATH: `${directory}:${process.env.PATH}` } }
      )
      const calls = readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n')

      return { status, stderr, calls, published: calls.filter(call => call.startsWith('publish')) }
    }

    it.each(['--provenance', '--dry-run'])('is only what the registry does not have, with %s', option => {
      const names = packs.map(({ name }) => name)
      const all = publish({}, option)

      expect({ status: all.status, stderr: all.stderr }).toEqual({ status: 0, stderr: '' })
      expect(all.published).toHaveLength(packs.length)
      expect(all.published[0]).toMatch(new RegExp(`/ipfsz-utils-\\S+\\.tgz --access public ${option}$`))
      expect(publish(Object.fromEntries(names.map(name => [name, name])), option)).toMatchObject({
        status: 0, published: []
      })

      const rest = publish({ '@ipfsz/utils': '@ipfsz/utils' }, option)
      expect(rest).toMatchObject({ status: 0 })
      expect(rest.published).toHaveLength(packs.length - 1)
    })

    it('ends before it publishes anything over other bytes', () => {
      const { status, stderr, published } = publish({ '@ipfsz/utils': 'other' })

      expect({ status, published }).toEqual({ status: 1, published: [] })
      expect(stderr).toContain('The registry has another @ipfsz/utils')
    })

    it('passes on the options that name a registry and its token', () => {
      const options = ['--registry', 'http://localhost:1', '--//localhost:1/:_authToken=none']
      const { calls } = publish({}, ...options)

      expect(calls.filter(call => !call.includes(options.join(' ')))).toEqual([])
    })
  })
})

function component (name: string, folder = name): Record<'bom-ref' | 'name' | 'scope', string> {
  return { 'bom-ref': `${name}@1.0.0`, name: folder, scope: 'optional' }
}

describe('the SBOM', () => {
  const development = { properties: [{ name: 'cdx:npm:package:development', value: 'true' }] }
  const names = ['@ipfsz/core', 'helia', 'deep', 'commander', 'of-commander', 'compiler', 'of-compiler']
  const workspace = {
    metadata: { component: component('workspace') },
    components: [component('ipfsz', 'cli'), ...names.map(name => ({ ...component(name), ...development }))],
    dependencies: [
      { ref: 'workspace@1.0.0', dependsOn: ['compiler@1.0.0', 'ipfsz@1.0.0'] },
      { ref: 'ipfsz@1.0.0', dependsOn: ['@ipfsz/core@1.0.0', 'commander@1.0.0', 'compiler@1.0.0'] },
      { ref: '@ipfsz/core@1.0.0', dependsOn: ['helia@1.0.0', 'compiler@1.0.0'] },
      { ref: 'helia@1.0.0', dependsOn: ['deep@1.0.0'] },
      { ref: 'commander@1.0.0', dependsOn: ['of-commander@1.0.0'] },
      { ref: 'compiler@1.0.0', dependsOn: ['of-compiler@1.0.0'] }
    ]
  }
  const core = { name: '@ipfsz/core', version: '1.0.0', peerDependencies: { helia: '^1.0.0' }, bundled: [] }
  const command = { name: 'ipfsz', version: '1.0.0', bundled: ['commander@1.0.0'] }

  it('is about the command, and has what packs contain and need, none of it for development', () => {
    const { metadata, components, dependencies } = publishedSbom(workspace, [core, command], 'ipfsz')

    expect(metadata.component).toMatchObject({ name: 'ipfsz', 'bom-ref': 'ipfsz@1.0.0' })
    expect(components.map(({ name }) => name)).toEqual(['@ipfsz/core', 'helia', 'deep', 'commander'])
    expect(components.flatMap(({ properties }) => properties)).toEqual([])
    expect(components.find(({ name }) => name === 'commander')).toMatchObject({ scope: 'required' })
    expect(dependencies.find(({ ref }) => ref === 'ipfsz@1.0.0')?.dependsOn)
      .toEqual(['@ipfsz/core@1.0.0', 'commander@1.0.0'])
    expect(dependencies.map(({ ref }) => ref)).not.toContain('workspace@1.0.0')
  })

  it('refuses what is bundled and not in the lock file', () => {
    expect(() => publishedSbom(workspace, [{ ...command, bundled: ['new@1.0.0'] }], 'ipfsz')).toThrow('new@1.0.0')
  })

  it('takes what is bundled from the licences', () => {
    const sections = ['a 1.0.0: MIT, A\n@a/b 2.0.0-beta.1: ISC\n\nVersion 2.0: text', '@bokuweb/zstd-wasm: MIT\n\nText']

    expect(bundledIn(sections.join(SEPARATOR))).toEqual(['a@1.0.0', '@a/b@2.0.0-beta.1', '@bokuweb/zstd-wasm'])
    expect(publishedSbom(workspace, [{ ...command, bundled: ['commander'] }], 'ipfsz'))
      .toEqual(publishedSbom(workspace, [command], 'ipfsz'))
  })
})

interface Job {
  if?: string
  needs?: string[]
  uses?: string
  'continue-on-error'?: string
  steps?: Array<{ if?: string, run?: string }>
}

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

  it.each(files)('%s gives back what root wrote before it goes on without it', file => {
    const { jobs } = parse(readFileSync(join(ROOT, file), 'utf8')) as Record<string, Record<string, Job>>

    for (const { steps = [] } of Object.values(jobs)) {
      const runs = steps.flatMap(({ run }) => run ?? [])
      const others = runs.slice(runs.findLastIndex(run => run.startsWith('sudo --preserve-env')) + 1)

      if (others.length < runs.length && others.length > 0) {
        expect(others[0]).toBe('sudo chown -R "$(id -u):$(id -g)" . "$HOME/.npm"')
        expect(runs[0]).toMatch(/^sudo/)
      }
    }
  })

  it('publish only from main once the suites that are due were green, and wait for Windows nowhere', () => {
    const [ci, release] = ['ci', 'release'].map(name => (
      parse(readFileSync(join(ROOT, `.github/workflows/${name}.yml`), 'utf8')) as { jobs: Record<string, Job> }
    ).jobs)

    expect(release.publish.if).toBe("inputs.publish && github.ref == 'refs/heads/main'")
    expect(release.publish.needs?.join(' ')).toBe('nightly packs executables')
    expect(release.nightly).toEqual({ if: release.publish.if, uses: './.github/workflows/nightly.yml' })
    expect(release.executables['continue-on-error']).toBe(ci['other-systems']['continue-on-error'])
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
