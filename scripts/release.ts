/**
 * The steps of a release, for `.github/workflows/release.yml` and for hands (CONTRIBUTING.md, "Release").
 * docs/decisions.md says why neither changesets nor release-please does this.
 *
 * - `version X.Y.Z`: writes the version into all manifests, `action.yml` and CHANGELOG.md. Commit the result
 * - `pack X.Y.Z DIRECTORY`: packs all packages, which are built, and writes their SBOM. These are the bytes to test
 * - `publish DIRECTORY [options of npm publish]`: publishes the packs, those first that others need, and skips those
 *   that the registry has: it can be run again after a failure
 * - `notes X.Y.Z`: prints what CHANGELOG.md says of a version
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { PACKAGES } from '../rooms.ts'
import { packName } from './empty-project.ts'
import { filesOf } from './nightly/files.ts'
import { bundledIn, publishedSbom } from './sbom.ts'
import type { SpawnSyncReturns } from 'node:child_process'
import type { Sbom } from './sbom.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** No prerelease: npm wants another tag for those. */
const VERSION = /^\d+\.\d+\.\d+$/
/** What documents say before the first release. */
const NOT_YET = /on npm yet/i
/** The packages with code of others in their packs, which their LICENSE-THIRD-PARTY names. */
const WITH_OTHERS = ['codecs', 'cli']

interface Manifest {
  name: string
  version: string
  [field: string]: unknown
}

const FIELDS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/** The packages by the names of their folders, each after those that it imports: rooms.ts lists them so. */
const folders = Object.keys(PACKAGES)
const manifests = new Map(folders.map(folder => [folder, read<Manifest>(join('packages', folder, 'package.json'))]))
const names = new Set([...manifests.values()].map(({ name }) => name))

function read<T> (file: string): T {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T
}

function edit (file: string, change: (text: string) => string): void {
  const path = join(ROOT, file)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

/** Set the version of all packages, and of what depends on them. */
export function withVersion (manifest: Manifest, version: string, own: ReadonlySet<string>): Manifest {
  const changed: Manifest = { ...manifest, ...own.has(manifest.name) ? { version } : {} }

  for (const field of FIELDS) {
    const dependencies = manifest[field] as Record<string, string> | undefined

    if (dependencies != null) {
      changed[field] = Object.fromEntries(
        Object.entries(dependencies).map(([name, range]) => [name, own.has(name) ? `^${version}` : range])
      )
    }
  }

  return changed
}

/** What the changelog says of a version, without its heading. */
export function notesOf (changelog: string, version: string): string {
  const [, notes] = changelog.split(new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\].*$`, 'm'))

  if (notes == null) {
    throw new Error(`CHANGELOG.md has no section [${version}]`)
  }

  return notes.split(/^## \[/m)[0].trim()
}

/** The changelog with the date of a version. */
export function withDate (changelog: string, version: string, date: string): string {
  notesOf(changelog, version)

  return changelog.replace(`## [${version}] - unreleased\n`, `## [${version}] - ${date}\n`)
}

/** The documents that say that IPFSz is not on npm yet. CONTRIBUTING.md only quotes them. */
export function documentsBeforeRelease (root: string): string[] {
  return filesOf(root, ['**/*.md'])
    .filter(path => path !== 'CONTRIBUTING.md' && NOT_YET.test(readFileSync(join(root, path), 'utf8')))
}

function setVersion (version: string): void {
  const date = new Date().toISOString().slice(0, 10)
  // first, as it may fail
  edit('CHANGELOG.md', text => withDate(text, version, date))

  const { workspaces } = read<{ workspaces: string[] }>('package.json')

  for (const directory of workspaces) {
    edit(join(directory, 'package.json'), text =>
      `${JSON.stringify(withVersion(JSON.parse(text) as Manifest, version, names), undefined, 2)}\n`)
  }

  edit('action.yml', text => text.replace(/(default: npx --yes ipfsz@)\S+/, `$1${version}`))
  run('npm', ['install', '--package-lock-only', '--ignore-scripts'])
}

function pack (version: string, directory: string): void {
  const others = [...manifests].filter(([, manifest]) => manifest.version !== version).map(([folder]) => folder)

  if (others.length > 0) {
    throw new Error(`${others.join(', ')} have another version than ${version}: run the step version first`)
  }

  const documents = documentsBeforeRelease(ROOT)

  if (documents.length > 0) {
    throw new Error(`These still say "not on npm yet": ${documents.join(', ')}`)
  }

  notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version)
  mkdirSync(directory, { recursive: true })

  for (const folder of folders) {
    run('npm', ['pack', '--silent', '--pack-destination', resolve(directory)], join(ROOT, 'packages', folder))
  }

  writeFileSync(join(directory, 'sbom.cdx.json'), `${JSON.stringify(sbom(), undefined, 2)}\n`)
}

function sbom (): Sbom {
  const all = JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'])) as Sbom

  return publishedSbom(all, Array.from(manifests, ([folder, manifest]) => ({
    ...manifest,
    bundled: WITH_OTHERS.includes(folder)
      ? bundledIn(readFileSync(join(ROOT, 'packages', folder, 'LICENSE-THIRD-PARTY'), 'utf8'))
      : []
  })), 'ipfsz')
}

/**
 * Whether the registry has a pack.
 *
 * @throws {Error} it has another one with this name and version
 */
function isPublished ({ name, version }: Manifest, file: string, options: readonly string[]): boolean {
  const args = ['view', `${name}@${version}`, 'dist.integrity', ...options, '--json']
  const { status, stdout, stderr } = start('npm', args)

  if (status !== 0 && !`${stdout}${stderr}`.includes('E404')) {
    throw new Error(`npm ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`)
  }

  if (status !== 0 || stdout.trim() === '') {
    return false
  }

  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`

  if (JSON.parse(stdout) !== integrity) {
    throw new Error(`The registry has another ${name} ${version}: ${stdout.trim()}, not ${integrity}`)
  }

  return true
}

function publish (directory: string, options: readonly string[]): void {
  for (const manifest of manifests.values()) {
    const pack = packName(manifest.name, manifest.version)
    const [file] = globSync(pack, { cwd: directory })

    if (file == null) {
      throw new Error(`There is no ${pack} in ${directory}`)
    }

    const path = join(resolve(directory), file)
    const isThere = isPublished(manifest, path, options)

    if (!isThere) {
      run('npm', ['publish', path, '--access', 'public', ...options])
    }

    console.info(`${manifest.name} ${manifest.version}${isThere ? ', which the registry has already' : ''}`)
  }
}

function start (command: string, args: readonly string[], cwd = ROOT): SpawnSyncReturns<string> {
  return spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
}

function run (command: string, args: readonly string[], cwd = ROOT): string {
  const { status, stdout, stderr, error } = start(command, args, cwd)

  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`, { cause: error })
  }

  return stdout
}

function main ([step, first = '', second = '', ...rest]: string[]): void {
  if (step !== 'publish' && !VERSION.test(first)) {
    throw new Error(`"${first}" is not a version such as 1.2.3`)
  }

  switch (step) {
    case 'version':
      setVersion(first)
      break
    case 'pack':
      pack(first, second)
      break
    case 'publish':
      publish(first, second === '' ? rest : [second, ...rest])
      break
    case 'notes':
      console.info(notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), first))
      break
    default:
      throw new Error('Steps: version, pack, publish, notes')
  }
}

if (import.meta.main) {
  main(argv.slice(2))
}
