import { join } from 'node:path'
import { messageOf } from '@ipfsz/utils/message-of'
import { SharedCache } from '../cache/shared-cache.ts'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import { RepoError } from '../errors.ts'
import type { Repo } from '../repo/repo.ts'

/** How much of what is fetched is kept, in bytes. */
export const DEFAULT_CACHE_SIZE = 10 * 1024 ** 3

export interface OpenedCache {
  cache: SharedCache
  directory: string
}

/**
 * Open the cache for what gateways of a repo fetch. All that run at once share it.
 *
 * @param cacheSize - maximum bytes on the disk. 0 keeps nothing
 * @returns undefined if nothing is to be kept
 */
export async function openCache (
  repo: Pick<Repo, 'path'>,
  cacheSize = DEFAULT_CACHE_SIZE,
  onNote: (message: string) => void
): Promise<OpenedCache | undefined> {
  if (cacheSize === 0) {
    return undefined
  }

  const directory = join(repo.path, 'gateway-cache')
  const cache = new SharedCache({
    directory,
    size: () => cacheSize,
    onFailure: err => {
      onNote(
        `the gateway cannot cache fetched blocks (${messageOf(err)}). It continues, and fetches them again when needed`
      )
    }
  })

  try {
    await makeRepoDirectory(repo.path)
    await cache.open()
  } catch (err) {
    throw err instanceof RepoError
      ? err
      : new RepoError(
        `The gateway cannot cache fetched blocks in ${directory}: ${messageOf(err)}`,
        { cause: err, problem: 'no-cache' }
      )
  }

  return { cache, directory }
}
