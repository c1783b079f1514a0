import { Key } from 'interface-datastore'
import { CID } from 'multiformats/cid'
import { blocksBelow, keyOf } from './dag.ts'
import type { Store } from './store.ts'

/** A file or folder that was added on this page. */
export interface Entry {
  cid: CID
  name: string
  /** Original bytes. */
  size: number
  /** Bytes of all its blocks. */
  storedSize: number
  codec: string
  pinned: boolean
  /** Milliseconds since 1970. */
  added: number
  /** When it was deleted, in milliseconds since 1970. Its blocks are kept until it is forgotten. */
  deleted?: number | undefined
}

/** Thrown when a deleted entry cannot be restored. */
export class ForgottenError extends Error {
  static override readonly name = 'ForgottenError'
  override readonly name = 'ForgottenError'

  constructor (name: string) {
    super(`${name} is deleted for good, perhaps in another tab`)
  }
}

const PREFIX = '/files'
/** Held by every tab that adds. */
const LOCK = 'ipfsz-adding'
/** How long a deleted entry can be restored at least, in milliseconds. */
const RESTORABLE = 24 * 60 * 60 * 1000

/** Everything that was added and not deleted, newest first. */
export async function listEntries (store: Store): Promise<Entry[]> {
  return (await allEntries(store)).filter(({ deleted }) => deleted == null)
}

/** Deleted entries that can be restored, the last one first. */
export async function listDeleted (store: Store): Promise<Entry[]> {
  return (await allEntries(store)).filter(({ deleted }) => deleted != null)
    .toSorted((a, b) => (b.deleted ?? 0) - (a.deleted ?? 0))
}

async function allEntries ({ datastore }: Store): Promise<Entry[]> {
  const entries: Entry[] = []

  for await (const { value } of datastore.query({ prefix: PREFIX })) {
    const record = JSON.parse(new TextDecoder().decode(value))
    entries.push({ ...record, cid: CID.parse(record.cid) })
  }

  return entries.toSorted((a, b) => b.added - a.added)
}

export async function saveEntry ({ datastore }: Store, entry: Entry): Promise<void> {
  const record = JSON.stringify({ ...entry, cid: entry.cid.toString() })

  await datastore.put(keyFor(entry.cid), new TextEncoder().encode(record))
}

/** Put an entry on the list, again if it was deleted. An existing entry keeps its pin. */
export async function addEntry (store: Store, entry: Omit<Entry, 'pinned' | 'added'>): Promise<void> {
  const before = (await listEntries(store)).find(({ cid }) => cid.equals(entry.cid))

  await saveEntry(store, { ...entry, pinned: before?.pinned ?? false, added: Date.now() })
}

/** Take an entry off the list. Its blocks stay, so that it can be restored. */
export async function deleteEntry (store: Store, entry: Entry): Promise<void> {
  await saveEntry(store, { ...entry, deleted: Date.now() })
}

/**
 * Put a deleted entry on the list again.
 *
 * @throws {ForgottenError}
 */
export async function restoreEntry (store: Store, { cid, name }: Entry): Promise<void> {
  await whileAdding(async () => {
    const entry = (await allEntries(store)).find(entry => entry.cid.equals(cid))

    if (entry == null) {
      throw new ForgottenError(name)
    }

    await saveEntry(store, { ...entry, deleted: undefined })
  })
}

/**
 * Delete an entry for good, with the blocks that no other entry uses.
 *
 * @returns as {@link sweep}
 */
export async function forgetEntry (store: Store, cid: CID): Promise<number | undefined> {
  await store.datastore.delete(keyFor(cid))

  return sweep(store)
}

/** Delete entries for good that were deleted more than a day ago. */
export async function forgetOld (store: Store): Promise<void> {
  const before = Date.now() - RESTORABLE

  if ((await listDeleted(store)).some(({ deleted = 0 }) => deleted < before)) {
    await sweep(store, { deletedBefore: before })
  }
}

/** Add while no other tab sweeps: until an entry is listed, its blocks look like leftovers. */
export async function whileAdding<T> (add: () => Promise<T>): Promise<T> {
  return navigator.locks.request(LOCK, { mode: 'shared' }, add)
}

/**
 * Delete the blocks that no entry uses: those of deleted files, of interrupted adds, and of
 * files that were only viewed. Does nothing while something is added.
 *
 * @param options.deletedBefore - entries that were deleted before this time are deleted for good
 * @returns how many were deleted, or undefined if something is being added
 */
export async function sweep (store: Store, { deletedBefore = 0 } = {}): Promise<number | undefined> {
  return navigator.locks.request(LOCK, { ifAvailable: true }, async lock => {
    if (lock == null) {
      return undefined
    }

    for (const { cid, deleted = 0 } of await listDeleted(store)) {
      if (deleted < deletedBefore) {
        await store.datastore.delete(keyFor(cid))
      }
    }

    return deleteUnlisted(store)
  })
}

async function deleteUnlisted (store: Store): Promise<number> {
  const { blockstore } = store
  const kept = new Set<string>()
  const leftovers: CID[] = []

  for (const { cid } of await allEntries(store)) {
    for await (const block of blocksBelow(cid, blockstore)) {
      kept.add(keyOf(block))
    }
  }

  for await (const { cid } of blockstore.getAll()) {
    if (!kept.has(keyOf(cid))) {
      leftovers.push(cid)
    }
  }

  for (const cid of leftovers) {
    await blockstore.delete(cid)
  }

  return leftovers.length
}

function keyFor (cid: CID): Key {
  return new Key(`${PREFIX}/${cid}`)
}
