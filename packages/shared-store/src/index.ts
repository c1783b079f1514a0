/**
 * @packageDocumentation
 *
 * One store of blocks, pins and links that several nodes share, in a directory or an S3 bucket. Any of them may add,
 * pin and collect at any time, without locks and without clocks that agree: what was confirmed is kept.
 * docs/shared-store.md is the protocol.
 *
 * Repos of `@ipfsz/node` use this by themselves once they have joined a store. What works on an open store is in
 * subpaths: `/sessions` to add, `/collect` to delete what nothing pins, `/nodes` to find the nodes that run, `/errors`.
 * `/reference` says which store a repo uses. `/places`, `/objects`, `/storage` and `/records` are what stores are made
 * of.
 *
 * @example Make or join a store, and add a block that no collection of another node deletes
 *
 * ```typescript
 * import { joinStore, openStore } from '@ipfsz/shared-store'
 * import { StoreSession } from '@ipfsz/shared-store/sessions'
 * import { Key } from 'interface-datastore'
 * import { CID } from 'multiformats/cid'
 * import * as raw from 'multiformats/codecs/raw'
 * import { sha256 } from 'multiformats/hashes/sha2'
 *
 * const { reference } = await joinStore('/mnt/store')
 * const { records, shared: { leaseTimeout, name, objects, packs } } = await openStore(reference)
 *
 * const bytes = new TextEncoder().encode('hello')
 * const cid = CID.createV1(raw.code, await sha256.digest(bytes))
 * const session = await StoreSession.open(objects, { leaseTimeout, command: 'add' })
 *
 * try {
 *   if (packs == null) {
 *     throw new Error(`An early version made the store ${name}: convert it`)
 *   }
 *
 *   await packs.forSession(session).put(cid, bytes)
 *   await packs.sync()
 *   await session.confirm() // before the pin is written
 *   await records.put(new Key(`/kept/${cid}`), new Uint8Array())
 *   await session.confirm() // before anybody is told that it is pinned
 *   console.info(cid)
 * } finally {
 *   await session.end()
 * }
 * ```
 */
export { convertStore } from './convert-store.ts'
export { refuseOlder } from './older/refuse-older.ts'
export { joinStore, openStore } from './shared-store.ts'
export type { Clock } from './clock.ts'
export type { ConvertedBlocks, ConvertStoreOptions } from './convert-store.ts'
export type { JoinedStore, OpenStoreInit, SharedStore, StoreParts } from './shared-store.ts'
