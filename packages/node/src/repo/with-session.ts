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

  if (shared == null) {
    return repo
  }

  const session = await StoreSession.open(shared.objects, {
    leaseTimeout: shared.leaseTimeout,
    command: 'ipfsz',
    packs: shared.packs,
    clock: shared.clock,
    onError (err) {
      emit(context, 'ipfsz:warning', { message: messageOf(err), isMinor: true })
    }
  }, { signal: context.signal })

  if (shared.packs == null) {
    const { checkNotConverted } = await import('@ipfsz/shared-store')
    await checkNotConverted(shared).catch(async (err: unknown) => {
      await session.end()
      throw err
    })
  }

  const sessionPacks = shared.packs?.forSession(session)

  return { ...repo, session, sessionPacks, blockstore: sessionPacks ?? session.blockstore(repo.blockstore) }
}
