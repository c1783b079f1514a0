// Room: what the objects of the protocol are called and hold: leases, rounds and their answers, fences. How long a
// lease lasts is in the mark of the store, `places/store-mark.ts`.
import { randomBytes } from 'node:crypto'

/** The keys of sessions, collections and their rounds. docs/shared-store.md says what each object is for. */

/** 16 random bytes in hexadecimal. Never used twice. */
const ID = '[0-9a-f]{32}'
/** A round: its collection, and its number in it. */
const ROUND = new RegExp(`^rounds/(${ID}-[0-9]{8})(\\.fence)?$`)

export const SESSIONS = 'sessions/'
export const LEASES = 'leases/'
export const COLLECTIONS = 'collections/'
export const ROUNDS = 'rounds/'
export const ACKS = 'acks/'

export function newId (): string {
  return randomBytes(16).toString('hex')
}

/** The name of a round, in which no collection's rounds share one. */
export function roundName (collection: string, number: number): string {
  return `${collection}-${String(number).padStart(8, '0')}`
}

/** The collection of a round, by its name. */
export function collectionOf (round: string): string {
  return round.slice(0, round.indexOf('-'))
}

export function roundKey (round: string): string {
  return `${ROUNDS}${round}`
}

export function fenceKey (round: string): string {
  return `${ROUNDS}${round}.fence`
}

export function ackKey (round: string, session: string): string {
  return `${ACKS}${round}-${session}`
}

/** The round that a key below `rounds/` is of, or undefined for a foreign object. */
export function parseRoundKey (key: string): { round: string, isFence: boolean } | undefined {
  const [, round, fence] = ROUND.exec(key) ?? []

  return round == null ? undefined : { round, isFence: fence != null }
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
