/**
 * @packageDocumentation
 *
 * Files as a child of a CompressedBlockstore, for Node: those of `FsBlockstore`, which
 * several processes may share. It needs the package blockstore-fs.
 *
 * @example Blocks on disk that other processes have too
 *
 * ```typescript
 * import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
 * import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
 *
 * const blockstore = new CompressedBlockstore(new SharedFsBlockstore('./blocks'))
 * await blockstore.open()
 * ```
 */

export { syncDirectory, syncFile } from './durable.ts'
export { removeStale } from './remove-stale.ts'
export { SharedFsBlockstore } from './shared-fs-blockstore.ts'
export { writeAtomic } from './write-atomic.ts'
export type { BlockFile } from './block-files.ts'
export type { SharedFsBlockstoreInit } from './shared-fs-blockstore.ts'
export type { WriteAtomicOptions } from './write-atomic.ts'
