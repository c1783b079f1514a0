import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { COMMON } from '../nightly-suites.ts'
import { filesOf } from './files.ts'
import type { NightlySuite } from '../nightly-suites.ts'

/** One file for each suite: two branches that stamp different suites do not conflict. No suite guards them. */
const STAMPS = 'scripts/nightly/stamps'

/** What a suite guards: what it says, what is common to all, and what it runs. */
export function guardedFiles (root: string, { guards, runs }: NightlySuite): string[] {
  return filesOf(root, [...COMMON, ...guards, ...runs.flatMap(run => 'project' in run ? run.files : [run.script])])
}

/**
 * The SHA-256, in hexadecimal, of the names and bytes of all that a suite guards, and of how it is run: the same in
 * every clone. A release changes nothing: the versions of our own packages do not count.
 */
export function hashGuarded (root: string, suite: NightlySuite): string {
  const hash = createHash('sha256').update(JSON.stringify(suite.runs))

  for (const path of guardedFiles(root, suite)) {
    const file = join(root, path)
    const bytes = lstatSync(file).isSymbolicLink() ? readlinkSync(file) : withoutOwnVersions(path, readFileSync(file))
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes)
  }

  return hash.digest('hex')
}

/** Of the lock file only what it installs: npm also marks there who needs a package, and not always in the same way. */
function withoutOwnVersions (path: string, bytes: Buffer): Buffer | string {
  switch (basename(path)) {
    case 'package.json':
      return Buffer.from(bytes.toString().replaceAll(/("(?:version|ipfsz|@ipfsz\/[\w-]+)": ?")\^?[\d.]+"/g, '$1"'))
    case 'package-lock.json': {
      const { packages } = JSON.parse(bytes.toString()) as { packages: Record<string, Record<string, unknown>> }

      return JSON.stringify(Object.entries(packages)
        .filter(([folder]) => folder.includes('node_modules/'))
        .map(([folder, { version, resolved, integrity }]) => [folder, version, resolved, integrity]))
    }
    default:
      return bytes
  }
}

/** The hash of what a suite guarded when it was last green. Undefined if it never was. */
export function readStamp (root: string, name: string): string | undefined {
  try {
    return readFileSync(join(root, STAMPS, name), 'utf8').trim()
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined
    }

    throw err
  }
}

export function writeStamp (root: string, name: string, hash: string): void {
  mkdirSync(join(root, STAMPS), { recursive: true })
  writeFileSync(join(root, STAMPS, name), `${hash}\n`)
}
