import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isSameFile } from '@ipfsz/utils/open-regular-file'
import { RepoError } from '../errors.ts'
import { statIfThere } from './read-input.ts'
import type { BigIntStats } from 'node:fs'

/**
 * Create the directory of a repo if it does not exist. Only its owner may enter it, as nothing in it is encrypted. An
 * existing directory keeps its mode, and new parent directories get the default mode.
 *
 * @throws {RepoError} something else is there, such as a file, or another user made it at the same moment
 */
export async function makeRepoDirectory (repo: string): Promise<void> {
  if (await checkRepoPath(repo)) {
    return
  }

  const isMade = await makeDirectory(repo, 0o700)

  if (!isMade && process.geteuid != null && (await lstat(repo)).uid !== process.geteuid()) {
    throw replaced(repo)
  }
}

/** Check that the path of a repo does not lead to something else, such as a file. Returns whether it is there. */
export async function checkRepoPath (repo: string): Promise<boolean> {
  // a path that cannot be examined fails when it is used, with its reason
  const stats = await stat(repo).catch(() => undefined)

  if (stats?.isDirectory() === false) {
    throw new RepoError(`The repo ${repo} is a file, not a directory`, { problem: 'not-a-directory' })
  }

  return stats != null
}

/** Check that a directory is still the one that it was: who may rename it could have let its path lead elsewhere. */
export async function checkIsSame (repo: string, before: BigIntStats): Promise<void> {
  const now = await statIfThere(repo)

  if (now == null || !isSameFile(now, before)) {
    throw replaced(repo)
  }
}

function replaced (repo: string): RepoError {
  return new RepoError(`The repo ${repo} was replaced while it was opened`, { problem: 'replaced' })
}

/**
 * Not with `recursive`: below `/proc`, where nothing can be made, Node would try again for ever.
 *
 * @returns false if another process was faster
 */
async function makeDirectory (path: string, mode?: number): Promise<boolean> {
  try {
    return await makeOne(path, mode)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) {
      throw err
    }

    await makeDirectory(dirname(path))

    return makeOne(path, mode)
  }
}

async function makeOne (path: string, mode?: number): Promise<boolean> {
  return mkdir(path, { mode }).then(() => true, (err: NodeJS.ErrnoException) => {
    if (err.code === 'EEXIST') {
      return false
    }

    throw err
  })
}
