/**
 * @packageDocumentation
 *
 * Blocks as files, for Node. The files are those of `FsBlockstore`, but several processes may
 * write them at the same time. Needs the package blockstore-fs.
 *
 * @example Blocks on disk that other processes use too
 *
 * ```typescript
 * import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
 * import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
 *
 * const blockstore = new CompressedBlockstore(new SharedFsBlockstore('./blocks'))
 * await blockstore.open()
 * ```
 */

export { syncDirectory, syncEach, syncFile } from './durable.ts'
export { removeStale } from './remove-stale.ts'
export { SharedFsBlockstore } from './shared-fs-blockstore.ts'
export { writeAtomic } from './write-atomic.ts'
export type { BlockFile } from './block-files.ts'
export type { SharedFsBlockstoreInit } from './shared-fs-blockstore.ts'
export type { WriteAtomicOptions } from './write-atomic.ts'
