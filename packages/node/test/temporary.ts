import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { PlainBlockstore } from '../src/blocks/plain-blockstore.ts'

/** A new store, in a directory that `removeStore` deletes. */
export async function makeStore (): Promise<SharedFsBlockstore> {
  const store = new SharedFsBlockstore(join(await mkdtemp(join(tmpdir(), 'ipfsz-store-')), 'blocks'))
  await store.open()

  return store
}

/** A new store as in a repo that compresses nothing. */
export async function makePlainStore (): Promise<PlainBlockstore> {
  return new PlainBlockstore(await makeStore())
}

export async function removeStore (store: SharedFsBlockstore): Promise<void> {
  await store.close()
  await rm(dirname(store.path), { recursive: true })
}
