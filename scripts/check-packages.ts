/**
 * Packs the libraries as for publishing, installs the packs into an empty project, imports each entry there, and runs
 * the programs of guides and READMEs, which may use only what they tell their readers to install. Fails if @ipfsz/core
 * alone brings too much. check-install.ts does the like for the command. Run after a build.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGES } from '../rooms.ts'
import { inEmptyProject, measureInstall } from './empty-project.ts'
import { packagesOfExamples, runExamples } from './run-examples.ts'

const ROOT = dirname(import.meta.dirname)

/** @ipfsz/core, with the packages of this repository that it imports. */
const CORE = ['core', ...PACKAGES.core ?? []]
const CORE_LIMITS = { packages: 150, bytes: 45e6 }

interface Manifest {
  name: string
  exports: Record<string, unknown>
  peerDependencies?: Record<string, string>
}

/** The specifier to import each entry of a package with, except its package.json. */
function entries ({ name, exports }: Manifest): string[] {
  return Object.keys(exports)
    .filter(key => !key.endsWith('.json') && !key.includes('*'))
    .map(key => join(name, key).replaceAll('\\', '/'))
}

const directories = globSync('packages/*/package.json', { cwd: ROOT, exclude: ['packages/cli'] })
  .map(file => join(ROOT, dirname(file)))
const manifests = directories.map(
  directory => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
)
const imports = manifests.flatMap(entries)
const peers = manifests.flatMap(({ peerDependencies = {} }) =>
  Object.entries(peerDependencies).map(([name, range]) => `${name}@${range}`))

await inEmptyProject(CORE.map(name => join(ROOT, 'packages', name)), [], project => {
  console.info(`@ipfsz/core installs ${measureInstall(project, CORE_LIMITS)}`)
})
await inEmptyProject(directories, [...peers, ...packagesOfExamples()], async ({ directory, run }) => {
  writeFileSync(join(directory, 'use.js'), imports.map(entry => `await import('${entry}')\n`).join(''))
  run(process.execPath, 'use.js')
  console.info(`${directories.length} libraries install in an empty project, and their ${imports.length} entries load`)
  console.info(`${await runExamples(directory)} programs of guides and READMEs run there`)
})
