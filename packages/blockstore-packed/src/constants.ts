/** Bytes of a pack from which it is sealed, by default. */
export const DEFAULT_PACK_SIZE = 64 * 1024 * 1024
/** The largest `packSize`: offsets in a pack have 32 bits. */
export const MAX_PACK_SIZE = 1024 * 1024 * 1024
/** Blocks and deletions of a pack from which it is sealed: until then, its entries are in memory. */
export const MAX_PACK_ENTRIES = 65_536
/** Bytes of a block. */
export const MAX_BLOCK_SIZE = 128 * 1024 * 1024
/** The compression level of zstd, by default. */
export const DEFAULT_LEVEL = 3
/** The share of a store's bytes that `repack` leaves unused, by default. */
export const DEFAULT_MAX_UNUSED = 0.05
/** Bytes of blocks that are compressed together. */
export const FRAME_SIZE = 64 * 1024
/** Bytes of blocks from which a group is written. */
export const GROUP_SIZE = 4 * 1024 * 1024
/** Blocks of a group at most. */
export const GROUP_BLOCKS = 8192
/** Bytes and blocks that `putMany` stores with one sync. */
export const BATCH_SIZE = 16 * 1024 * 1024
export const BATCH_BLOCKS = 32_768
