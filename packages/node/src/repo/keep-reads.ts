import { emit } from '../events.ts'
import type { NodeProgressOptions } from '../events.ts'
import type { Repo } from './repo.ts'

/**
 * A view of a repo that keeps on this node what a command reads from a store over the network.
 *
 * @param isAllowed - whether the command may be told what the store no longer has
 */
export async function keepReads (
  repo: Repo,
  isAllowed: boolean,
  options: NodeProgressOptions
): Promise<{ repo: Repo, close: () => Promise<void> }> {
  if (!isAllowed || repo.shared?.isRemote !== true) {
    return { repo, close: async () => {} }
  }

  const { withStoreCache } = await import('./store-cache.ts')
  const onNote = (message: string): void => {
    emit(options, 'ipfsz:warning', { message, isMinor: true })
  }

  return withStoreCache(repo, { onNote })
}
