import { LEASES, parseIdKey, SESSIONS } from '../protocol/store-keys.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/**
 * Delete the leases of sessions that are gone, one page at a time. A session is written before its lease.
 *
 * @param own - a session whose lease stays
 */
export async function cleanUpLeases (store: ObjectStore, own: string, signal: AbortSignal): Promise<number> {
  let deleted = 0
  let before: string | undefined

  for await (const page of store.list(LEASES, { signal })) {
    const ids = page.flatMap(({ key }) => parseIdKey(LEASES, key) ?? []).filter(id => id !== own)
    const last = ids.at(-1)

    if (last != null) {
      const living = await sessionsBetween(store, before, last, signal)
      const rest = ids.filter(id => !living.has(id)).map(id => `${LEASES}${id}`)
      await store.delete(rest, { signal })
      deleted += rest.length
      before = last
    }
  }

  return deleted
}

/** The IDs of sessions behind one, up to another one. */
async function sessionsBetween (
  store: ObjectStore,
  before: string | undefined,
  last: string,
  signal: AbortSignal
): Promise<Set<string>> {
  const sessions = new Set<string>()
  const after = before == null ? {} : { after: `${SESSIONS}${before}` }

  for await (const page of store.list(SESSIONS, { ...after, signal })) {
    for (const { key } of page) {
      const id = parseIdKey(SESSIONS, key)

      if (id != null && id > last) {
        return sessions
      }

      if (id != null) {
        sessions.add(id)
      }
    }
  }

  return sessions
}
