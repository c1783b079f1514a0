import { sleep } from '../clock.ts'
import { fenceSessions } from '../protocol/fence-sessions.ts'
import { LeaseWatch } from '../protocol/lease.ts'
import { MAX_OBJECTS } from '../objects/read-object.ts'
import { LEASES, parseIdKey, SESSIONS } from '../protocol/store-keys.ts'
import { unchangedFor } from '../protocol/unchanged-for.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'

export interface ClearSessionsInit {
  store: ObjectStore
  leaseTimeout: number
  clock: Clock
  /** Called with how many dead sessions were found so far, before each part. */
  onClearing: (dead: number) => void
}

/**
 * Fence the dead sessions of a store that has more than a collection can wait for: so many processes were killed since
 * the last one. Takes the timeout for each 10,000, whose leases are in memory meanwhile. Does nothing if there are
 * fewer: the first round fences the dead ones then.
 *
 * @returns how many were dead
 */
export async function clearSessions (
  { store, leaseTimeout, clock, onClearing }: ClearSessionsInit,
  signal: AbortSignal
): Promise<number> {
  let dead = 0

  if ((await keysBehind(store, undefined, MAX_OBJECTS + 1, signal)).length <= MAX_OBJECTS) {
    return dead
  }

  for (let last: string | undefined; ;) {
    const keys = await keysBehind(store, last, MAX_OBJECTS, signal)
    last = keys.at(-1)

    if (last == null) {
      return dead
    }

    onClearing(dead)
    const ids = keys.flatMap(key => parseIdKey(SESSIONS, key) ?? [])
    const watches = new Map(ids.map(id => [id, new LeaseWatch(store, `${LEASES}${id}`, clock)]))
    await unchangedFor(leaseTimeout, watches, signal)
    await sleep(clock, leaseTimeout, signal)
    const found = await unchangedFor(leaseTimeout, watches, signal)
    await fenceSessions(store, found, { onFenced: () => {} }, signal)
    dead += found.length
  }
}

/** The first keys of sessions behind another one. */
async function keysBehind (
  store: ObjectStore,
  after: string | undefined,
  most: number,
  signal: AbortSignal
): Promise<string[]> {
  const keys: string[] = []

  for await (const page of store.list(SESSIONS, { ...after == null ? {} : { after }, signal })) {
    keys.push(...page.slice(0, most - keys.length).map(({ key }) => key))

    if (keys.length === most) {
      break
    }
  }

  return keys
}
