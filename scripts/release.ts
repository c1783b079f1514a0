/**
 * The steps of a release, for `.github/workflows/release.yml` and for hands (CONTRIBUTING.md, "Release").
 * docs/decisions.md says why neither changesets nor release-please does this.
 *
 * - `version X.Y.Z`: writes the version into all manifests, `action.yml` and CHANGELOG.md. Commit the result
 * - `pack X.Y.Z DIRECTORY`: packs all packages, which are built, and writes their SBOM. These are the bytes to test
 * - `publish DIRECTORY [options of npm publish]`: publishes the packs, those first that others need
 * - `notes X.Y.Z`: prints what CHANGELOG.md says of a version
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { PACKAGES } from '../rooms.ts'
import { packName } from './empty-project.ts'

const ROOT = resolve(import.meta.dirname, '..')
const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

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

function setVersion (version: string): void {
  const { workspaces } = read<{ workspaces: string[] }>('package.json')

  for (const directory of workspaces) {
    edit(join(directory, 'package.json'), text =>
      `${JSON.stringify(withVersion(JSON.parse(text) as Manifest, version, names), undefined, 2)}\n`)
  }

  const date = new Date().toISOString().slice(0, 10)
  edit('action.yml', text => text.replace(/(default: npx --yes ipfsz@)\S+/, `$1${version}`))
  edit('CHANGELOG.md', text => text.replace(/^## \[.*\] - unreleased$/m, `## [${version}] - ${date}`))
  run('npm', ['install', '--package-lock-only', '--ignore-scripts'])
}

function pack (version: string, directory: string): void {
  const others = [...manifests].filter(([, manifest]) => manifest.version !== version).map(([folder]) => folder)

  if (others.length > 0) {
    throw new Error(`${others.join(', ')} have another version than ${version}: run the step version first`)
  }

  notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version)
  mkdirSync(directory, { recursive: true })

  for (const folder of folders) {
    run('npm', ['pack', '--silent', '--pack-destination', resolve(directory)], join(ROOT, 'packages', folder))
  }

  // with tools, which are marked as such: what `--omit dev` leaves out of a workspace is more than these
  writeFileSync(
    join(directory, 'sbom.cdx.json'),
    run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'])
  )
}

function publish (directory: string, options: readonly string[]): void {
  for (const manifest of manifests.values()) {
    const pack = packName(manifest.name, manifest.version)
    const [file] = globSync(pack, { cwd: directory })

    if (file == null) {
      throw new Error(`There is no ${pack} in ${directory}`)
    }

    run('npm', ['publish', join(resolve(directory), file), '--access', 'public', ...options])
    console.info(`${manifest.name} ${manifest.version}`)
  }
}

function run (command: string, args: readonly string[], cwd = ROOT): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })

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
