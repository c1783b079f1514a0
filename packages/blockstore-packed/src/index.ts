/**
 * @packageDocumentation
 *
 * A blockstore for Helia in Node that keeps blocks in packs: CAR files that are compressed with zstd, and an index that
 * is made of them. Thousands of blocks are one file, small blocks are compressed together, and several processes may
 * use a directory at the same time. CIDs do not change.
 *
 * @example Helia on packs
 *
 * ```typescript
 * import { PackedBlockstore } from '@ipfsz/blockstore-packed'
 * import { createHelia } from 'helia'
 *
 * const blockstore = new PackedBlockstore('blocks')
 * await blockstore.open()
 * const helia = createHelia({ blockstore })
 * ```
 *
 * @example Store many blocks with one sync, and free the space of deleted ones
 *
 * ```typescript
 * import { PackedBlockstore } from '@ipfsz/blockstore-packed'
 * import type { CID } from 'multiformats/cid'
 *
 * export async function replace (blocks: Array<{ cid: CID, bytes: Uint8Array }>, old: CID[]): Promise<void> {
 *   const blockstore = new PackedBlockstore('blocks', { durability: 'sync' })
 *   await blockstore.open()
 *
 *   for (const { cid, bytes } of blocks) {
 *     await blockstore.put(cid, bytes)
 *   }
 *
 *   await blockstore.sync()
 *
 *   for await (const cid of blockstore.deleteMany(old)) {
 *     console.info('deleted', cid)
 *   }
 *
 *   await blockstore.repack()
 *   await blockstore.close()
 * }
 * ```
 */

export { FileLockError } from '@ipfsz/utils/errors'
export * from './errors.ts'
export { PackedBlockstore } from './packed-blockstore.ts'
export type { Disk, DiskFile, OpenMode } from './disk/disk.ts'
export type { Compress, EncodedBlocks, PlainBlock } from './encode/encode-blocks.ts'
export type { GroupTables } from './format/group-header.ts'
export type { PackStats, StoreStats } from './store/stats.ts'
export type * from './contract.ts'
