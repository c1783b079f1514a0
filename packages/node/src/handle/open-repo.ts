import type { OpenRepo, OpenRepoInit } from './contract.ts'

/**
 * Open the repo in a directory, and create it if there is none.
 *
 * @param path - relative ones start from the working directory of the process. By default that of the command:
 *   `$IPFSZ_PATH`, or `~/.ipfsz`
 * @throws {RepoError} it cannot be opened or created, has an unknown version, or is `missing` and not to be created
 * @throws {StoreAwayError} it keeps its blocks in a shared store that does not answer
 */
export async function openRepo (path?: string, init: OpenRepoInit = {}): Promise<OpenRepo> {
  // all that the first call needs: importing this file loads nothing
  const { RepoHandle } = await import('./repo-handle.ts')

  return RepoHandle.open(path, init)
}
