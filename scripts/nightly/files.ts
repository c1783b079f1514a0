import { execFileSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files of a repository that any of the globs matches, in order. Git lists them: neither what was built nor what is
 * ignored counts, and what was not committed yet does.
 *
 * @param root - the top folder of the repository
 * @param globs - globs of git, such as `packages/*\/src/**`; with `{a,b}`, which git does not know
 */
export function filesOf (root: string, globs: readonly string[]): string[] {
  if (globs.length === 0) {
    return []
  }

  const listed = execFileSync('git', listFiles(globs, ['-z']), { cwd: root, encoding: 'utf8', maxBuffer: Infinity })

  return [...new Set(listed.split('\0'))]
    // a deleted file is listed until its deletion is committed
    .filter(path => path !== '' && lstatSync(join(root, path), { throwIfNoEntry: false }) != null)
    .toSorted()
}

/** The arguments with which git lists the files that any of the globs matches. */
export function listFiles (globs: readonly string[], options: readonly string[]): string[] {
  return [
    // whoever owns the folder: what is listed is only read
    '-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard', ...options, '--',
    ...globs.flatMap(expandBraces).map(glob => `:(glob)${glob}`)
  ]
}

function expandBraces (glob: string): string[] {
  const [whole, inner] = /\{([^{}]*)\}/.exec(glob) ?? []

  return whole == null || inner == null
    ? [glob]
    : inner.split(',').flatMap(one => expandBraces(glob.replace(whole, () => one)))
}
