/**
 * @packageDocumentation
 *
 * A blockstore around any other one that stores blocks compressed. Their CIDs stay the
 * hashes of the uncompressed bytes, so nothing changes for whoever uses the store, nor
 * for other nodes: they get the blocks that they ask for.
 *
 * A store that has blocks already can be wrapped as it is: these are read, and new ones
 * are compressed. The bytes that are stored are those of docs/format.md, section 5.
 *
 * @example A Helia node whose blocks are compressed on disk
 *
 * ```typescript
 * import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
 * import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
 * import { createHelia } from 'helia'
 *
 * const blockstore = new CompressedBlockstore(new SharedFsBlockstore('./blocks'))
 * await blockstore.open()
 * const helia = createHelia({ blockstore })
 * ```
 *
 * @example Convert the blocks of before, and see what it saved
 *
 * ```typescript
 * import { convert, stats } from '@ipfsz/blockstore-compressed'
 * import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
 *
 * const child = new SharedFsBlockstore('./blocks')
 * const { converted, unreadable } = await convert(child, { codec: 'zstd', level: 3 })
 * const { size, storedSize, ratio, codecs } = await stats(child)
 *
 * console.info(converted, unreadable, size, storedSize, ratio, codecs.zstd?.blocks)
 * ```
 */

export { CompressedBlockstore } from './compressed-blockstore.ts'
export { DEFAULT_CODEC, DEFAULT_MAX_BLOCK_SIZE, DEFAULT_MIN_SIZE } from './constants.ts'
export { convert } from './convert/convert.ts'
export * from './errors.ts'
export { stats } from './stats.ts'
export type { ConvertOptions, ConvertReport } from './convert/convert.ts'
export type { ConvertEvents, ConvertOutcome, ConvertProgress, StatsEvents, StatsProgress } from './events.ts'
export type { CompressedBlockstoreInit, ReadInit, Verify, WriteInit } from './init.ts'
export type { StoredAs } from './value/read-value.ts'
export type { BlockstoreStats, BlockTotals, StatsOptions } from './stats.ts'
