// Room: locks between processes.
import { FileLockError } from '@ipfsz/utils/errors'
import * as files from '@ipfsz/utils/kernel-lock'
import { RepoError } from '../errors.ts'
import type { DatabaseSync } from 'node:sqlite'

export { BUSY, CANTOPEN, READONLY, resultCode } from '@ipfsz/utils/kernel-lock'

/*
 * The locks of `@ipfsz/utils/kernel-lock`. Here, a file that cannot be locked is a problem of a repo: RepoError.
 */

export function holdFile (path: string): (() => void) | undefined {
  return withRepoError(() => files.holdFile(path))
}

export function isHeld (path: string): boolean {
  return withRepoError(() => files.isHeld(path))
}

export async function removeUnlessHeld (path: string): Promise<boolean> {
  try {
    return await files.removeUnlessHeld(path)
  } catch (err) {
    throw repoError(err)
  }
}

export function openDatabase (path: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  return withRepoError(() => files.openDatabase(path, options))
}

function withRepoError<T> (work: () => T): T {
  try {
    return work()
  } catch (err) {
    throw repoError(err)
  }
}

function repoError (err: unknown): unknown {
  return err instanceof FileLockError ? new RepoError(err.message, { cause: err.cause }) : err
}
