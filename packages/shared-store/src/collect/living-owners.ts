import { sleep } from '../clock.ts'
import { fenceSessions } from '../protocol/fence-sessions.ts'
import { LeaseWatch, pollInterval } from '../protocol/lease.ts'
import { LEASES } from '../protocol/store-keys.ts'
import { sessionsOf } from './wait-for-sessions.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'

export interface LivingOwnersInit {
  store: ObjectStore
  /** Sessions that have stored packs, or have objected to a round. Those that have ended are left out. */
  sessions: Iterable<string>
  leaseTimeout: number
  clock: Clock
  /** Called with who made a session that is dead. */
  onFenced: (owner: string) => void
}

/**
 * The sessions that live: they may still pin what they have stored, or need what they have objected to. Dead ones are
 * fenced, so that their packs can be collected. Takes until each has renewed its lease, or is dead.
 */
export async function livingOwners (
  { store, sessions, leaseTimeout, clock, onFenced }: LivingOwnersInit,
  signal: AbortSignal
): Promise<Set<string>> {
  const running = await sessionsOf(store, signal)
  const owners = new Set(Array.from(sessions).filter(id => running.has(id)))
  const living = new Set<string>()
  const watches = new Map(Array.from(owners, id => [id, new LeaseWatch(store, `${LEASES}${id}`, clock)]))
  const first = new Map<string, string>()

  while (watches.size > 0) {
    for (const [id, watch] of watches) {
      const unchanged = await watch.unchanged(signal)
      const before = first.get(id) ?? watch.text
      first.set(id, before)

      if (watch.text !== before) {
        living.add(id)
        watches.delete(id)
      } else if (unchanged >= leaseTimeout) {
        await fenceSessions(store, [id], { onFenced }, signal)
        watches.delete(id)
      }
    }

    const now = await sessionsOf(store, signal)

    for (const id of watches.keys()) {
      if (!now.has(id)) {
        watches.delete(id)
      }
    }

    if (watches.size > 0) {
      await sleep(clock, pollInterval(leaseTimeout), signal)
    }
  }

  return living
}
