import { SilentSessionError } from '../errors.ts'
import { sleep } from '../clock.ts'
import { fenceSessions } from '../protocol/fence-sessions.ts'
import { LeaseWatch, pollInterval, readOwner } from '../protocol/lease.ts'
import { objectsOf } from '../objects/read-object.ts'
import { readAck } from '../protocol/round-objects.ts'
import { ACKS, LEASES, parseAckKey, parseIdKey, sessionOfRound, SESSIONS } from '../protocol/store-keys.ts'
import { unchangedFor } from '../protocol/unchanged-for.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { Objections } from '../protocol/round-objects.ts'

/**
 * A session that renews its lease may be silent for this many timeouts, ten minutes: longer than all attempts of its
 * requests take on a store that hardly answers. It renews no lease while it cannot answer, so this is another program.
 */
const MAX_SILENCE = 20

export interface WaitForSessionsInit {
  store: ObjectStore
  /** The name of the round. */
  round: string
  /** How many packs it condemns. */
  condemned: number
  /** Takes up what the sessions object to. */
  objections: Objections
  leaseTimeout: number
  clock: Clock
  /** A session that need not acknowledge it: that of the collection. */
  except: string
  /** Called with how many sessions have not acknowledged yet, whenever that changes. */
  onWaiting: (sessions: number) => void
  /** Called with who made a session that is dead. */
  onFenced: (owner: string) => void
}

/**
 * Wait until every session has acknowledged the round, has ended, or is dead: its lease has not changed for the
 * timeout, by our own clock. The object of a dead one is deleted, so that it finds out if it ever wakes up.
 *
 * A session that is not on the list was written after the round, and has seen it before it relied on anything.
 *
 * @throws {StoreObjectError} an acknowledgement is damaged
 * @throws {SilentSessionError} a session lives, and does not answer
 */
export async function waitForSessions (init: WaitForSessionsInit, signal: AbortSignal): Promise<void> {
  const { store, round, clock, leaseTimeout, onWaiting } = init
  const waiting = await sessionsOf(store, signal)
  waiting.delete(init.except)
  // it has condemned the packs itself
  waiting.delete(sessionOfRound(round))
  const watches = new Map(Array.from(waiting, id => [id, new LeaseWatch(store, `${LEASES}${id}`, clock)]))
  const begin = clock.now()
  let told = 0

  // without sessions, nobody has objected: those that have ended had written their pins
  while (waiting.size > 0) {
    await takeAcks(init, waiting, signal)

    if (waiting.size > 0) {
      const living = await sessionsOf(store, signal)

      for (const id of waiting) {
        if (!living.has(id)) {
          waiting.delete(id)
        }
      }
    }

    for (const id of watches.keys()) {
      if (!waiting.has(id)) {
        watches.delete(id)
      }
    }

    const dead = await unchangedFor(leaseTimeout, watches, signal)

    if (dead.length > 0) {
      await fenceSessions(store, dead, { round, onFenced: init.onFenced }, signal)
      dead.forEach(id => { waiting.delete(id) })
    }

    if (waiting.size !== told) {
      told = waiting.size
      onWaiting(told)
    }

    if (waiting.size === 0) {
      return
    }

    if (clock.now() - begin >= MAX_SILENCE * leaseTimeout) {
      throw await silenceOf(store, [...waiting], clock.now() - begin, signal)
    }

    await sleep(clock, pollInterval(leaseTimeout), signal)
  }
}

async function silenceOf (
  store: ObjectStore,
  [id, ...others]: readonly string[],
  time: number,
  signal: AbortSignal
): Promise<SilentSessionError> {
  const key = `${SESSIONS}${id}`
  const owner = await readOwner(store, key, signal)
  const info = await store.stat(key, { signal })

  return new SilentSessionError(id, { owner, since: info?.modified, time, others: others.length })
}

/** The IDs of all sessions. */
export async function sessionsOf (store: ObjectStore, signal: AbortSignal): Promise<Set<string>> {
  const sessions = new Set<string>()

  for await (const { key } of objectsOf(store, SESSIONS, signal)) {
    const id = parseIdKey(SESSIONS, key)

    if (id != null) {
      sessions.add(id)
    }
  }

  return sessions
}

/** Take up the objections of the sessions that have acknowledged. */
async function takeAcks (
  { store, round, condemned, objections }: WaitForSessionsInit,
  waiting: Set<string>,
  signal: AbortSignal
): Promise<void> {
  for await (const { key } of objectsOf(store, `${ACKS}${round}-`, signal)) {
    const { session } = parseAckKey(key) ?? {}

    if (session != null && waiting.has(session)) {
      const ack = await readAck(store, key, condemned, signal)

      if (ack != null) {
        objections.addAll(ack)
        waiting.delete(session)
      }
    }
  }
}
