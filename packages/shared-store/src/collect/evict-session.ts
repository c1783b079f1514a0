import { UsageError } from '../errors.ts'
import { hasObject } from '../objects/read-object.ts'
import { fenceSessions } from '../protocol/fence-sessions.ts'
import { parseIdKey, SESSIONS } from '../protocol/store-keys.ts'
import type { ObjectStore } from '../objects/object-store.ts'

export interface EvictSessionOptions {
  signal: AbortSignal
  /** Called with the command, host and process of the session, before it is evicted. */
  onFenced?: (owner: string) => void
}

/**
 * Take a session for dead: it fails instead of acknowledging anything, so nothing that it needs can be missed. This is
 * safe at any time, whether it is dead or not.
 *
 * @param id - as `SilentSessionError` names it
 * @throws {UsageError} it is no ID of a session that is there
 */
export async function evictSession (
  store: ObjectStore,
  id: string,
  { signal, onFenced = () => {} }: EvictSessionOptions
): Promise<void> {
  const key = `${SESSIONS}${id}`

  if (parseIdKey(SESSIONS, key) == null || !await hasObject(store, key, signal)) {
    throw new UsageError(`No session of the store has the id "${id}": it may have ended`, { problem: 'no-session' })
  }

  await fenceSessions(store, [id], { onFenced }, signal)
}
