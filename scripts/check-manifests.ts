/**
 * Checks the manifests of the published packages: every path in them exists, their
 * dependencies on each other match rooms.ts and the current versions, and publint and attw
 * find nothing. Of a bundled package, the development dependencies are the bundled ones. Also what a registry shows:
 * keywords, no placeholders, and links in the README that work there. Run after a build.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { PACKAGES } from '../rooms.ts'
import { packName } from './empty-project.ts'

const ROOT = dirname(import.meta.dirname)

/** The package that an import names, in code and not in a comment. */
const IMPORT = /^(?:(?:import|export) .*from |(?! \*).* import\()'((?:@[^/']+\/)?[^/'.#][^/']*)/gm

/** Fields that are left out until somebody knows them. */
const UNKNOWN = ['repository', 'homepage', 'bugs', 'author'] as const
const PLACEHOLDER = /example|todo|tbd|your|placeholder|unknown|[<>]/i
/** A link or picture of Markdown that is neither absolute nor to a heading of the same file. */
const LEAVING_LINK = /\]\((?!https:\/\/|#)([^()]+)\)/g

interface Manifest extends Partial<Record<typeof UNKNOWN[number], unknown>> {
  name: string
  version: string
  description?: string
  keywords?: string[]
  license?: string
  type?: string
  exports?: unknown
  imports?: unknown
  bin?: unknown
  man?: unknown
  files?: string[]
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

interface Package extends Manifest {
  /** Its name in rooms.ts. */
  folder: string
}

/** Every path in a value of `exports`, `imports`, `bin` or `man`, at any depth. */
function paths (value: unknown): string[] {
  if (typeof value === 'string') {
    return [value]
  }

  return value != null && typeof value === 'object' ? Object.values(value).flatMap(paths) : []
}

/** @param packages - those of this repository, by name */
function check (directory: string, packages: ReadonlyMap<string, Package>): string[] {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
  const { dependencies: required = {}, optionalDependencies = {}, peerDependencies = {} } = manifest
  const isBundled = manifest.files?.includes('bundle')
  const dependencies = {
    ...required,
    ...optionalDependencies,
    ...peerDependencies,
    ...isBundled ? manifest.devDependencies : {}
  }
  const problems = [manifest.exports, manifest.imports, manifest.bin, manifest.man].flatMap(paths)
    .filter(path => globSync(path.replace('*', '**'), { cwd: directory }).length === 0)
    .map(path => `${path} does not exist`)

  if (isBundled && Object.keys(required).length > 0) {
    problems.push('it is bundled: all but addons are development dependencies')
  }

  for (const [dependency, { folder, version, optionalDependencies: addons }] of packages) {
    const range = dependencies[dependency]
    const allowed = PACKAGES[basename(directory)].includes(folder)

    if (allowed !== (range != null)) {
      problems.push(`${allowed ? 'it needs' : 'it must not have'} the dependency ${dependency} (rooms.ts)`)
    } else if (range != null && range !== `^${version}`) {
      problems.push(`it depends on ${dependency} ${range}, but the current version is ${version}`)
    }

    // loaded by the names of their packages, which a bundler does not see
    for (const [addon, range] of isBundled && allowed ? Object.entries(addons ?? {}) : []) {
      if (optionalDependencies[addon] !== range) {
        problems.push(`it bundles ${dependency}, and so needs the optional dependency ${addon} ${range}`)
      }
    }
  }

  // the published files only: sources may import types from packages that are not dependencies
  for (const file of globSync('dist/**/*.{js,d.ts}', { cwd: directory })) {
    for (const [, specifier] of readFileSync(join(directory, file), 'utf8').matchAll(IMPORT)) {
      if (!specifier.startsWith('node:') && dependencies[specifier] == null) {
        problems.push(`${file} imports ${specifier}, which is not a dependency`)
      }
    }
  }

  if (manifest.license !== 'Apache-2.0 OR MIT' || manifest.type !== 'module') {
    problems.push('its license must be Apache-2.0 OR MIT, and its type module')
  }

  return problems
}

/** What a registry shows of a package, to people who have no copy of this repository. */
function checkShown (directory: string): string[] {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
  const { description = '', keywords = [] } = manifest
  const readme = readFileSync(join(directory, 'README.md'), 'utf8')

  return [
    ...description === '' || !keywords.includes('ipfs') ? ['it needs a description, and keywords with ipfs'] : [],
    ...UNKNOWN.filter(field => PLACEHOLDER.test(JSON.stringify(manifest[field]) ?? ''))
      .map(field => `${field} is a placeholder: leave it out`),
    ...Array.from(readme.matchAll(LEAVING_LINK), ([, target]) => (
      `README.md links to ${target}, which is not in the package: name the file, or link to a URL`
    ))
  ]
}

function runTool (tool: string, args: string[], directory: string): string[] {
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd: directory, encoding: 'utf8' })

  return status === 0 ? [] : [`${tool}: ${stdout}${stderr}`]
}

/** What tools find in the pack of a package: that in `$IPFSZ_PACKS`, or a new one. */
function checkPack (directory: string): string[] {
  const { IPFSZ_PACKS: packs } = process.env
  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
  const pack = packs == null ? undefined : join(packs, packName(name, version))

  return [
    ...runTool('publint', ['run', ...pack == null ? [] : [pack], '--strict'], directory),
    ...runTool('attw', [...pack == null ? ['--pack', '.'] : [pack], '--profile', 'esm-only'], directory)
  ]
}

const directories = globSync('packages/*/package.json', { cwd: ROOT }).map(file => join(ROOT, dirname(file)))
const packages = new Map(directories.map(directory => {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest

  return [manifest.name, { ...manifest, folder: basename(directory) }]
}))
const problems = directories.flatMap(directory => [
  ...check(directory, packages),
  ...checkShown(directory),
  ...checkPack(directory)
].map(problem => `${relative(ROOT, directory)}: ${problem}`))

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  console.info(`${directories.length} manifests checked`)
}
