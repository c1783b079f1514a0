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
}

const PREFIX = '/files'
/** Held by every tab that adds. */
const LOCK = 'ipfsz-adding'

/** Everything that was added, newest first. */
export async function listEntries ({ datastore }: Store): Promise<Entry[]> {
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

/** Put an entry on the list. An existing entry keeps its pin. */
export async function addEntry (store: Store, entry: Omit<Entry, 'pinned' | 'added'>): Promise<void> {
  const before = (await listEntries(store)).find(({ cid }) => cid.equals(entry.cid))

  await saveEntry(store, { ...entry, pinned: before?.pinned ?? false, added: Date.now() })
}

/**
 * Take an entry off the list, and delete the blocks that no other entry uses.
 *
 * @returns as {@link sweep}
 */
export async function deleteEntry (store: Store, cid: CID): Promise<number | undefined> {
  await store.datastore.delete(keyFor(cid))

  return sweep(store)
}

/** Add while no other tab sweeps: until an entry is listed, its blocks look like leftovers. */
export async function whileAdding<T> (add: () => Promise<T>): Promise<T> {
  return navigator.locks.request(LOCK, { mode: 'shared' }, add)
}

/**
 * Delete the blocks that no entry uses: those of deleted files, of interrupted adds, and of
 * files that were only viewed. Does nothing while something is added.
 *
 * @returns how many were deleted, or undefined if something is being added
 */
export async function sweep (store: Store): Promise<number | undefined> {
  return navigator.locks.request(LOCK, { ifAvailable: true }, async lock => (
    lock == null ? undefined : deleteUnlisted(store)
  ))
}

async function deleteUnlisted (store: Store): Promise<number> {
  const { blockstore } = store
  const kept = new Set<string>()
  const leftovers: CID[] = []

  for (const { cid } of await listEntries(store)) {
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
