import { IDBBlockstore } from 'blockstore-idb'
import { IDBDatastore } from 'datastore-idb'
import type { Blockstore } from 'interface-blockstore'
import type { Datastore } from 'interface-datastore'

/** What stays in the browser after the page is closed. */
export interface Store {
  blockstore: Blockstore
  datastore: Datastore
}

/** Thrown when the browser gives this page no more storage. */
export class StorageFullError extends Error {
  static override readonly name = 'StorageFullError'
  override readonly name = 'StorageFullError'

  constructor (options?: ErrorOptions) {
    super('The storage of this browser is full. Delete files and leftovers, or free some space on the disk', options)
  }
}

/** Open the blockstore and the datastore of this page, both in IndexedDB. */
export async function openStore (name: string): Promise<Store> {
  const blockstore = new WholeBlockstore(`${name}/blocks`)
  const datastore = new SayingDatastore(`${name}/records`)

  await Promise.all([blockstore.open(), datastore.open()])

  return { blockstore, datastore }
}

/**
 * IndexedDB clones and stores the whole ArrayBuffer behind a view: for a block that is a
 * quarter of a frame, the whole frame. So such a block is copied first.
 */
class WholeBlockstore extends IDBBlockstore {
  override async put (...[cid, bytes, options]: Parameters<IDBBlockstore['put']>): ReturnType<IDBBlockstore['put']> {
    const whole = bytes instanceof Uint8Array && bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes

    try {
      return await super.put(cid, whole, options)
    } catch (err) {
      throw toStorageFull(err)
    }
  }
}

/** Throws {@link StorageFullError} if there is no room for a record. */
class SayingDatastore extends IDBDatastore {
  override async put (...args: Parameters<IDBDatastore['put']>): ReturnType<IDBDatastore['put']> {
    try {
      return await super.put(...args)
    } catch (err) {
      throw toStorageFull(err)
    }
  }
}

/** IndexedDB names the quota only in the text of its error. */
function toStorageFull (err: unknown): unknown {
  return err instanceof Error && err.message.includes('QuotaExceededError') ? new StorageFullError({ cause: err }) : err
}
