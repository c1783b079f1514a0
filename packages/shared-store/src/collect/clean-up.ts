import { sleep } from '../clock.ts'
import { objectsOf } from '../objects/read-object.ts'
import {
  ACKS, collectionOf, COLLECTIONS, fenceKey, LEASES, parseAckKey, parseIdKey, parseRoundKey, roundKey, ROUNDS, SESSIONS
} from '../protocol/store-keys.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'

export interface CleanUpInit {
  store: ObjectStore
  /** The collection that cleans up. */
  own: string
  /** Collections that are dead. */
  dead: readonly string[]
  leaseTimeout: number
  clock: Clock
  /** Called before it waits for the timeout. */
  onWaiting: () => void
}

/**
 * Delete what dead collections and sessions have left, and return how many objects that were. Deletes that a dead
 * collection has sent may still come: so its rounds are fenced first, and deleted when no delete can come any more.
 */
export async function cleanUp (
  { store, own, dead, leaseTimeout, clock, onWaiting }: CleanUpInit,
  signal: AbortSignal
): Promise<number> {
  // what belongs to nobody: collections are listed last, so that whatever a new one writes is not taken for a rest
  const rounds = await keysOf(store, ROUNDS, signal)
  const isDead = await deadOf(store, { own, dead }, signal)
  const deadRounds = rounds.flatMap(key => {
    const { round, isFence } = parseRoundKey(key) ?? {}

    return round != null && isFence === false && isDead(round) ? [round] : []
  })

  for (const round of deadRounds) {
    await store.put(fenceKey(round), new Uint8Array([1]), { signal })
  }

  if (deadRounds.length > 0) {
    onWaiting()
    await sleep(clock, leaseTimeout, signal)
  }

  // rounds before fences: a collection that wakes up looks for the fence, and then for the round
  await store.delete(deadRounds.map(roundKey), { signal })
  const rest = [
    ...deadRounds.map(fenceKey),
    ...rounds.filter(key => {
      const { round, isFence } = parseRoundKey(key) ?? {}

      return round != null && isFence === true && isDead(round) && !deadRounds.includes(round)
    })
  ]
  await store.delete(rest, { signal })
  const acks = await cleanUpAcks(store, { own, dead }, signal)
  const leases = await cleanUpLeases(store, signal)
  const collections = dead.map(id => `${COLLECTIONS}${id}`)
  await store.delete(collections, { signal })

  return deadRounds.length + rest.length + acks + leases + collections.length
}

/** Finds out which collections live. Returns a function that says whether the collection of a round is dead. */
async function deadOf (
  store: ObjectStore,
  { own, dead }: Pick<CleanUpInit, 'dead' | 'own'>,
  signal: AbortSignal
): Promise<(round: string) => boolean> {
  const living = new Set((await keysOf(store, COLLECTIONS, signal)).flatMap(key => parseIdKey(COLLECTIONS, key) ?? []))

  return round => {
    const collection = collectionOf(round)

    return collection !== own && (dead.includes(collection) || !living.has(collection))
  }
}

/** Delete the acknowledgements of rounds whose collections are dead. One page at a time: they may be many. */
async function cleanUpAcks (
  store: ObjectStore,
  collections: Pick<CleanUpInit, 'dead' | 'own'>,
  signal: AbortSignal
): Promise<number> {
  let deleted = 0

  for await (const page of store.list(ACKS, { signal })) {
    const isDead = await deadOf(store, collections, signal)
    const rest = page.flatMap(({ key }) => {
      const { round } = parseAckKey(key) ?? {}

      return round != null && isDead(round) ? [key] : []
    })
    await store.delete(rest, { signal })
    deleted += rest.length
  }

  return deleted
}

/** Delete the leases of sessions that are gone, one page at a time. A session is written before its lease. */
export async function cleanUpLeases (store: ObjectStore, signal: AbortSignal): Promise<number> {
  let deleted = 0
  let before: string | undefined

  for await (const page of store.list(LEASES, { signal })) {
    const ids = page.flatMap(({ key }) => parseIdKey(LEASES, key) ?? [])
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

async function keysOf (store: ObjectStore, prefix: string, signal: AbortSignal): Promise<string[]> {
  const keys: string[] = []

  for await (const { key } of objectsOf(store, prefix, signal)) {
    keys.push(key)
  }

  return keys
}
