/**
 * Checks the manifests of the packages that are published: every path in them is a
 * file, their dependencies on each other name the version that is here, the arrows
 * between them go one way, and publint and attw find nothing. Run after a build.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = dirname(import.meta.dirname)

/** What each package may depend on of the others: the arrows of ARCHITECTURE.md. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  '@ipfsz/errors': [],
  '@ipfsz/codecs': [],
  '@ipfsz/core': ['@ipfsz/errors', '@ipfsz/codecs'],
  '@ipfsz/blockstore-compressed': ['@ipfsz/errors', '@ipfsz/codecs'],
  '@ipfsz/libp2p-compression': ['@ipfsz/codecs'],
  ipfsz: ['@ipfsz/codecs', '@ipfsz/core', '@ipfsz/blockstore-compressed', '@ipfsz/libp2p-compression']
}

/** The package that an import names, in code and not in a comment. */
const IMPORT = /^(?:(?:import|export) .*from |(?! \*).* import\()'((?:@[^/']+\/)?[^/'.#]+)/gm

interface Manifest {
  name: string
  version: string
  license?: string
  type?: string
  exports?: unknown
  imports?: unknown
  bin?: unknown
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Every path in a value of `exports`, `imports` or `bin`, however deep. */
function paths (value: unknown): string[] {
  if (typeof value === 'string') {
    return [value]
  }

  return value != null && typeof value === 'object' ? Object.values(value).flatMap(paths) : []
}

function check (directory: string, versions: ReadonlyMap<string, string>): string[] {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
  const { name, dependencies: required = {}, optionalDependencies = {}, peerDependencies = {} } = manifest
  const dependencies = { ...required, ...optionalDependencies, ...peerDependencies }
  const problems = [manifest.exports, manifest.imports, manifest.bin].flatMap(paths)
    .filter(path => !existsSync(join(directory, path)))
    .map(path => `${path} is not there`)

  for (const [dependency, range] of Object.entries(dependencies)) {
    const version = versions.get(dependency)

    if (version != null && !ARROWS[name].includes(dependency)) {
      problems.push(`it must not depend on ${dependency}`)
    } else if (version != null && range !== `^${version}`) {
      problems.push(`it depends on ${dependency} ${range}, here is ${version}`)
    }
  }

  // as they are published: types that only the sources need come from anywhere
  for (const file of globSync('dist/**/*.{js,d.ts}', { cwd: directory })) {
    for (const [, specifier] of readFileSync(join(directory, file), 'utf8').matchAll(IMPORT)) {
      if (!specifier.startsWith('node:') && dependencies[specifier] == null) {
        problems.push(`${file} imports ${specifier}, which is not a dependency`)
      }
    }
  }

  if (manifest.license !== 'Apache-2.0 OR MIT' || manifest.type !== 'module') {
    problems.push('its license or type is another')
  }

  return problems
}

function runTool (tool: string, args: string[], directory: string): string[] {
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd: directory, encoding: 'utf8' })

  return status === 0 ? [] : [`${tool}: ${stdout}${stderr}`]
}

const directories = globSync('packages/*/package.json', { cwd: ROOT }).map(file => join(ROOT, dirname(file)))
const versions = new Map(directories.map(directory => {
  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest

  return [name, version]
}))
const problems = directories.flatMap(directory => [
  ...check(directory, versions),
  ...runTool('publint', ['--strict'], directory),
  ...runTool('attw', ['--pack', '.', '--profile', 'esm-only'], directory)
].map(problem => `${relative(ROOT, directory)}: ${problem}`))

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  console.info(`${directories.length} manifests are in order`)
}
