import { IncompleteError, NOT_FETCHED } from './errors.ts'
import { LOST } from '@ipfsz/utils/system-error'
import { repoPath } from '@ipfsz/node/environment'
import { readReference } from '@ipfsz/shared-store/reference'
import type { Io } from './io.ts'

/**
 * A sentence for the end of an error that says which repo lacks a block: somebody with several repos may have asked the
 * wrong one. Empty for other errors.
 *
 * @param repo - as it was asked for
 */
export async function lostPlace (thrown: Error, repo: string | undefined, io: Io): Promise<string> {
  if (!isLost(thrown)) {
    return ''
  }

  const path = repoPath(repo, io)
  const reference = await readReference(path).catch(() => undefined)

  return `. The repo is ${path}${reference == null ? '' : `, and its blocks are in the store ${reference.store}`}`
}

/** Whether a block of the repo is missing or damaged: not one that others did not send, or sent wrong. */
function isLost (thrown: Error): boolean {
  for (let at: unknown = thrown; at instanceof Error && !NOT_FETCHED.has(at.name); at = at.cause) {
    // without a CID, a directory has no such entry
    if ((at instanceof IncompleteError && at.lost) || (LOST.has(at.name) && 'cid' in at && at.cid != null)) {
      return true
    }
  }

  return false
}
