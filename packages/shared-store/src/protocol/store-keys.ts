// Room: what the objects of the protocol are called and hold: leases, rounds and their answers. How long a lease
// lasts is in the mark of the store, `places/store-mark.ts`.
import { randomBytes } from 'node:crypto'

/** The keys of sessions, collections and their rounds. docs/shared-store.md says what each object is for. */

/** 16 random bytes in hexadecimal. Never used twice. */
const ID = '[0-9a-f]{32}'
/** A round: the session of its collection, and its number in it. */
const ROUND = new RegExp(`^rounds/(${ID}-[0-9]{8})$`)

export const SESSIONS = 'sessions/'
export const LEASES = 'leases/'
export const COLLECTIONS = 'collections/'
export const ROUNDS = 'rounds/'
export const ACKS = 'acks/'

export function newId (): string {
  return randomBytes(16).toString('hex')
}

/** The name of a round, in which no collection's rounds share one. */
export function roundName (session: string, number: number): string {
  return `${session}-${String(number).padStart(8, '0')}`
}

/** The session of the collection that began a round. It condemns the packs before it writes the round. */
export function sessionOfRound (round: string): string {
  return round.split('-', 1)[0]
}

export function roundKey (round: string): string {
  return `${ROUNDS}${round}`
}

export function ackKey (round: string, session: string): string {
  return `${ACKS}${round}-${session}`
}

/** The round that a key below `rounds/` is of, or undefined for a foreign object. */
export function parseRoundKey (key: string): string | undefined {
  return ROUND.exec(key)?.[1]
}

/** The ID in a key such as `sessions/ID`, or undefined for a foreign object. */
export function parseIdKey (prefix: string, key: string): string | undefined {
  const id = key.slice(prefix.length)

  return key.startsWith(prefix) && new RegExp(`^${ID}$`).test(id) ? id : undefined
}

/** The round and the session of an acknowledgement, or undefined for a foreign object. */
export function parseAckKey (key: string): { round: string, session: string } | undefined {
  const [, round, session] = new RegExp(`^${ACKS}(${ID}-[0-9]{8})-(${ID})$`).exec(key) ?? []

  return round == null ? undefined : { round, session }
}
