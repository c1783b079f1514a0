/**
 * @packageDocumentation
 *
 * Wraps any blockstore and stores its blocks compressed. CIDs stay the hashes of the
 * uncompressed bytes, so neither the users of the store nor other nodes see a difference.
 *
 * A store that already holds blocks can be wrapped too: old blocks stay readable, new ones are
 * compressed. docs/format.md, section 5, describes the stored bytes.
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
 * @example Compress the blocks of an existing store, and see what that saved
 *
 * ```typescript
 * import { convert, stats } from '@ipfsz/blockstore-compressed'
 * import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
 *
 * const inner = new SharedFsBlockstore('./blocks')
 * await inner.open()
 * const { converted, unreadable } = await convert(inner, { codec: 'zstd', level: 3 })
 * const { size, storedSize, ratio, codecs } = await stats(inner)
 *
 * console.info(converted, unreadable, size, storedSize, ratio, codecs.zstd?.blocks)
 * ```
 */

export { CompressedBlockstore } from './with-all-codecs.ts'
export { DEFAULT_CODEC, DEFAULT_MAX_BLOCK_SIZE, DEFAULT_MIN_SIZE } from './constants.ts'
export { convert } from './convert/convert.ts'
export * from './errors.ts'
export { stats } from './stats.ts'
export type { ConvertOptions, ConvertReport } from './convert/convert.ts'
export type { ConvertEvents, ConvertOutcome, ConvertProgress, StatsEvents, StatsProgress } from './events.ts'
export type { CompressedBlockstoreInit, ReadInit, Verify, WriteInit } from './init.ts'
export type { StoredAs, StoredBlock } from './value/read-value.ts'
export type { BlockstoreStats, BlockTotals, StatsOptions } from './stats.ts'
