import { sleep } from './clock.ts'
import { objectsOf } from './read-object.ts'
import {
  ACKS, collectionOf, COLLECTIONS, fenceKey, LEASES, parseAckKey, parseIdKey, parseRoundKey, roundKey, ROUNDS, SESSIONS
} from './store-keys.ts'
import type { Clock } from './clock.ts'
import type { ObjectStore } from './object-store.ts'

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
  const acks = await keysOf(store, ACKS, signal)
  const leases = await keysOf(store, LEASES, signal)
  const sessions = new Set(await keysOf(store, SESSIONS, signal))
  const living = new Set((await keysOf(store, COLLECTIONS, signal)).flatMap(key => parseIdKey(COLLECTIONS, key) ?? []))
  const isDead = (round: string): boolean => {
    const collection = collectionOf(round)

    return collection !== own && (dead.includes(collection) || !living.has(collection))
  }
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
    }),
    ...acks.filter(key => {
      const { round } = parseAckKey(key) ?? {}

      return round != null && isDead(round)
    }),
    ...leases.filter(key => {
      const id = parseIdKey(LEASES, key)

      return id != null && !sessions.has(`${SESSIONS}${id}`)
    }),
    ...dead.map(id => `${COLLECTIONS}${id}`)
  ]
  await store.delete(rest, { signal })

  return deadRounds.length + rest.length
}

async function keysOf (store: ObjectStore, prefix: string, signal: AbortSignal): Promise<string[]> {
  const keys: string[] = []

  for await (const { key } of objectsOf(store, prefix, signal)) {
    keys.push(key)
  }

  return keys
}
