/**
 * Packs every package as for publishing, installs the packs into an empty project, and
 * uses them there: imports each entry, and adds and reads a file with `npx ipfsz`. Run after a build.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)

interface Manifest {
  name: string
  exports: Record<string, unknown>
}

function run (command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })

  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`)
  }

  return stdout.trim()
}

/** The specifier to import each entry of a package with, except its package.json. */
function entries ({ name, exports }: Manifest): string[] {
  return Object.keys(exports).filter(key => !key.endsWith('.json')).map(key => join(name, key).replaceAll('\\', '/'))
}

const directories = globSync('packages/*/package.json', { cwd: ROOT }).map(file => join(ROOT, dirname(file)))
const manifests = directories.map(
  directory => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
)
const temporary = mkdtempSync(join(tmpdir(), 'ipfsz-packages-'))

try {
  const project = join(temporary, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')

  const packs = directories.map(
    directory => join(temporary, run('npm', ['pack', '--silent', '--pack-destination', temporary], directory))
  )
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packs], project)

  const imports = manifests.flatMap(entries)
  writeFileSync(join(project, 'use.js'), `${imports.map(entry => `await import('${entry}')`).join('\n')}\n`)
  run(process.execPath, ['use.js'], project)

  const file = join(project, 'use.txt')
  writeFileSync(file, 'the same words again and again, '.repeat(10_000))
  const cid = run('npx', ['--no-install', 'ipfsz', '--repo', 'repo', 'add', '-Q', file], project)
  run('npx', ['--no-install', 'ipfsz', '--repo', 'repo', 'get', cid, '-o', 'back.txt'], project)

  if (!readFileSync(join(project, 'back.txt')).equals(readFileSync(file))) {
    throw new Error(`npx ipfsz get ${cid} wrote other bytes than were added`)
  }

  console.info(`${packs.length} packages install and work in an empty project`)
} finally {
  rmSync(temporary, { recursive: true })
}
