import { objectsOf } from '../objects/read-object.ts'
import { readRound } from '../protocol/round-objects.ts'
import { ACKS, COLLECTIONS, parseAckKey, parseRoundKey, roundKey, ROUNDS } from '../protocol/store-keys.ts'
import { cleanUpLeases } from './clean-up-leases.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { CondemnedRound } from './condemned-round.ts'

/** The rounds that other collections have left, by their names. Those that are over by now are left out. */
export async function readRounds (
  store: ObjectStore,
  names: readonly string[],
  signal: AbortSignal
): Promise<CondemnedRound[]> {
  const rounds: CondemnedRound[] = []

  for (const name of names) {
    const tails = await readRound(store, roundKey(name), signal)

    if (tails != null) {
      rounds.push({ name, tails })
    }
  }

  return rounds
}

/** The sessions that have answered rounds, and may have objected: one that has died keeps packs until it is fenced. */
export async function answersOf (
  store: ObjectStore,
  rounds: readonly CondemnedRound[],
  signal: AbortSignal
): Promise<string[]> {
  const names = new Set(rounds.map(({ name }) => name))
  const sessions: string[] = []

  if (names.size > 0) {
    for await (const page of store.list(ACKS, { signal })) {
      for (const { key } of page) {
        const { round, session } = parseAckKey(key) ?? {}
        sessions.push(...session != null && names.has(round ?? '') ? [session] : [])
      }
    }
  }

  return sessions
}

/**
 * Delete what dead collections and sessions have left, but for rounds, which are completed; and the acknowledgements of
 * rounds that are over.
 *
 * @param init.own - the session of the collection, which deletes its lease itself
 */
export async function cleanUp (
  store: ObjectStore,
  { own, dead }: { own: string, dead: readonly string[] },
  signal: AbortSignal
): Promise<void> {
  await store.delete(dead.map(id => `${COLLECTIONS}${id}`), { signal })
  await cleanUpLeases(store, own, signal)

  // One page at a time: killed sessions may have left many. Rounds are listed after it, so that the acknowledgement of
  // a new round is not taken for one of a round that is over
  for await (const page of store.list(ACKS, { signal })) {
    const rounds = new Set<string>()

    for await (const { key } of objectsOf(store, ROUNDS, signal)) {
      rounds.add(parseRoundKey(key) ?? '')
    }

    await store.delete(page.flatMap(({ key }) => {
      const { round } = parseAckKey(key) ?? {}

      return round == null || rounds.has(round) ? [] : [key]
    }), { signal })
  }
}
