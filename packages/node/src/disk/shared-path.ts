import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { RepoError } from '../errors.ts'
import { absolutePath } from '../paths.ts'
import type { Environment, WorkingDirectory } from '../paths.ts'

/** Anybody may write, and rename what others own: the directory is not sticky, as `/tmp` is. */
const OTHERS = 0o002
const STICKY = 0o1000

/**
 * Check that not everybody on this machine can rename a repo or what is in it, and so make the command read and write
 * elsewhere: each lock, database and pack is opened by its path. `IPFSZ_SAFE_DIRECTORY` names a repo where that does
 * not matter, as in a container's volume, or is `*`, as git's `safe.directory`.
 *
 * Owners and groups are not looked at: root often uses a volume of another user in a container, and groups of one user
 * are common. `init` warns of these. Windows says nothing of modes.
 *
 * @throws {RepoError}
 */
export function checkNotShared (repo: string, io: WorkingDirectory & { env: Environment }): void {
  const { IPFSZ_SAFE_DIRECTORY: safe = '' } = io.env

  if (process.getuid == null || safe === '*' || (safe !== '' && absolutePath(safe, io) === repo)) {
    return
  }

  const shared = [...parentsOf(repo), ...parentsOf(realPathOf(repo))].find(isShared)

  if (shared != null) {
    throw new RepoError(
      `Every user of this machine can rename what is in ${shared}, and so replace the repo ${repo}`,
      { problem: 'unsafe-directory', place: shared }
    )
  }
}

function parentsOf (path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...parentsOf(dirname(path))]
}

/** Where a path leads, as far as it exists. */
function realPathOf (path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : realPathOf(dirname(path))
  }
}

function isShared (path: string): boolean {
  try {
    const { mode } = statSync(path)

    return (mode & OTHERS) !== 0 && (mode & STICKY) === 0
  } catch {
    // there is none, or it cannot be examined: it fails when it is used, with its reason
    return false
  }
}
