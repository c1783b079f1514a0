import { MAX_FRAME_SIZE } from '@ipfsz/codecs'

/** The codec of new blocks. */
export const DEFAULT_CODEC = 'zstd'

/** What to check when a block is read. */
export const DEFAULT_VERIFY = 'hash'

/**
 * Blocks of fewer bytes are not compressed, 128 bytes. Of pieces of 128 bytes, zstd shrinks
 * 63 % enough, which saves 12.6 % of all bytes. At 96 bytes these are 38 % and 6.1 %, at
 * 64 bytes 6 % and 1.1 %.
 */
export const DEFAULT_MIN_SIZE = 128

/** Maximum number of bytes of a block, 16 MiB: as many as a frame may hold, and far above the 2 MiB of Bitswap. */
export const DEFAULT_MAX_BLOCK_SIZE = MAX_FRAME_SIZE

/** The smallest saving, as a part of the block, for which a block is compressed (docs/format.md, section 5). */
export const MIN_GAIN = 0.05

/** The marker code of an envelope whose payload is not compressed (docs/format.md, section 1). */
export const IDENTITY_CODE = 0x3f5a0f

/** The first of the sixteen marker codes (docs/format.md, section 1). */
export const FIRST_MARKER_CODE = 0x3f5a00

/**
 * The fewest bytes of a digest that can verify a block: for shorter ones, other bytes with
 * the same digest are easily found. boxo, multiformats and `@ipfsz/core` have the same limit.
 */
export const MIN_DIGEST_LENGTH = 20

/** How many blocks that do not begin like an envelope to remember: 16 GiB of 1 MiB blocks, in about 2 MB. */
export const MAX_ORDINARY_BLOCKS = 16_384

/** The longest multihash to remember a block by, in digest bytes: sha2-512. Identity CIDs can be of any length. */
export const MAX_REMEMBERED_DIGEST_LENGTH = 64

/** How many blocks of a batch to compress ahead of the inner store, or to read ahead of the caller, at most. */
export const MAX_AHEAD = 8

/** How many blocks to convert at a time. */
export const DEFAULT_CONVERT_CONCURRENCY = 4
