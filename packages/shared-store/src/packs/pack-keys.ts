// Room: the packs of a store (docs/shared-store.md): finding, reading and writing them.
import { randomBytes } from 'node:crypto'
import { tailOf } from '../protocol/tail-set.ts'

export const PACKS = 'packs/'
/** In the place of a session, in the keys of packs that no session protects. */
export const NO_SESSION = '0'.repeat(32)

const KEY = /^packs\/([0-9a-f]{32})-([0-9a-f]{32})$/

export interface StoredPack {
  id: string
  key: string
  /** The session that stored it. While it runs, the pack is not condemned. */
  session: string
}

/** The ID of a pack: 32 hexadecimal digits. Each is sent once at most, and never used again. */
export function newPackId (): string {
  return randomBytes(16).toString('hex')
}

export function packKey (id: string, session: string): string {
  return `${PACKS}${id}-${session}`
}

/** The pack of a key, or undefined for a foreign object. */
export function parsePackKey (key: string): StoredPack | undefined {
  const [, id, session] = KEY.exec(key) ?? []

  return id == null ? undefined : { id, key, session }
}

/** What stands for a pack in rounds. */
export function tailOfPack (id: string): Uint8Array {
  return tailOf(Buffer.from(id, 'hex'))
}
