import type { Repo } from './repo.ts'

interface Notes {
  readonly verbose: boolean
  note (message: string): void
}

/**
 * A view of a repo that keeps on this node what a command reads from a store over the network.
 *
 * @param isAllowed - whether the command may be told what the store no longer has
 */
export async function keepReads (
  repo: Repo,
  isAllowed: boolean,
  output: Notes
): Promise<{ repo: Repo, close: () => Promise<void> }> {
  if (!isAllowed || repo.shared?.isRemote !== true) {
    return { repo, close: async () => {} }
  }

  const { withStoreCache } = await import('./store-cache.ts')
  const onNote = (message: string): void => {
    if (output.verbose) {
      output.note(message)
    }
  }

  return withStoreCache(repo, { onNote })
}
