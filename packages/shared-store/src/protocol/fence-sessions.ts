import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { readOwner } from './lease.ts'
import { ackKey, LEASES, SESSIONS } from './store-keys.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/** How many sessions are fenced at a time: the keys of one request to delete. */
const BATCH = 1000
/** How many objects are read at a time. */
const CONCURRENCY = 16

export interface FenceSessionsInit {
  /** A round that they may have acknowledged. */
  round?: string
  /** Called with who made a session, before it is fenced. */
  onFenced: (owner: string) => void
}

/**
 * Take sessions for dead: from now on they acknowledge nothing. This is safe at any time, whether they are dead or not,
 * as a session looks for its object after it has written its pins. Its objects have names that are never used again.
 */
export async function fenceSessions (
  store: ObjectStore,
  sessions: readonly string[],
  { round, onFenced }: FenceSessionsInit,
  signal: AbortSignal
): Promise<void> {
  for (let start = 0; start < sessions.length; start += BATCH) {
    const batch = sessions.slice(start, start + BATCH)
    const owners = mapOrdered(
      batch,
      async id => readOwner(store, `${SESSIONS}${id}`, signal),
      { concurrency: CONCURRENCY, signal }
    )

    for await (const owner of owners) {
      onFenced(owner)
    }

    // before the leases: one without a lease looks dead to others too
    await store.delete(batch.map(id => `${SESSIONS}${id}`), { signal })
    await store.delete(batch.flatMap(id => [`${LEASES}${id}`, ...round == null ? [] : [ackKey(round, id)]]), { signal })
  }
}
