import { messageOf } from '@ipfsz/utils/message-of'
import { hasOriginals } from '@ipfsz/node/internal/repo/originals-store'
import { serveOriginals } from '@ipfsz/node/internal/repo/serve-originals'
import type { Context } from '../context.ts'
import type { Repo } from '@ipfsz/node/internal/repo/repo'
import type { DerivedBlockstore } from '@ipfsz/core/originals'

/** Run a gateway with the blocks of the repo and those of indexed originals, if they are to be served. */
export async function withServedOriginals (
  repo: Repo,
  { serveOriginals: isWanted = false }: { serveOriginals?: boolean | undefined },
  { output }: Context,
  work: (repo: Repo, originals?: DerivedBlockstore) => Promise<void>
): Promise<void> {
  if (!isWanted) {
    return work(repo)
  }

  if (!hasOriginals(repo.path)) {
    output.note('no originals are indexed yet: run ipfsz originals index, or a daemon with --serve-originals')
  }

  const onError = (err: unknown): void => {
    if (output.verbose) {
      output.note(messageOf(err))
    }
  }
  const { blockstore, store } = serveOriginals(repo, { writes: false, onError })

  try {
    await work(repo, blockstore)
  } finally {
    await store.close()
  }
}
