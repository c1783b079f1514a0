import { messageOf } from '@ipfsz/utils/message-of'
import { StoreSession } from '@ipfsz/shared-store/sessions'
import { emit } from '../events.ts'
import type { NodeProgressOptions } from '../events.ts'
import type { Repo } from './repo.ts'

interface SessionContext extends NodeProgressOptions {
  signal: AbortSignal
}

/**
 * A view of a repo for adding: if it shares a store, no other node deletes what this process stores, finds or reads
 * there until the view's session ends.
 */
export async function withSession (repo: Repo, context: SessionContext): Promise<Repo> {
  const { shared } = repo

  // an older store cannot be opened to write
  if (shared?.packs == null) {
    return repo
  }

  const session = await StoreSession.open(shared.objects, {
    leaseTimeout: shared.leaseTimeout,
    command: 'ipfsz',
    clock: shared.clock,
    onError (err) {
      emit(context, 'ipfsz:warning', { message: messageOf(err), isMinor: true })
    }
  }, { signal: context.signal })

  const sessionPacks = shared.packs.forSession(session)

  return { ...repo, session, sessionPacks, blockstore: sessionPacks }
}
