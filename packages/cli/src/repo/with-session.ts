import { messageOf } from '@ipfsz/utils/message-of'
import { StoreSession } from '../store/store-session.ts'
import type { Repo } from './repo.ts'

interface SessionContext {
  signal: AbortSignal
  output: {
    readonly verbose: boolean
    note (message: string): void
  }
}

/**
 * A view of a repo for adding: if it shares a store, no other node deletes what this process stores, finds or reads
 * there until the view's session ends.
 */
export async function withSession (repo: Repo, { signal, output }: SessionContext): Promise<Repo> {
  const { shared } = repo

  if (shared == null) {
    return repo
  }

  const session = await StoreSession.open(shared.objects, {
    leaseTimeout: shared.leaseTimeout,
    command: 'ipfsz',
    onError (err) {
      if (output.verbose) {
        output.note(messageOf(err))
      }
    }
  }, { signal })

  return { ...repo, session, blockstore: session.blockstore(repo.blockstore) }
}
