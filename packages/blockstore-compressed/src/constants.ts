import { MAX_FRAME_SIZE } from '@ipfsz/codecs'

/** The codec that compresses unless asked otherwise. */
export const DEFAULT_CODEC = 'zstd'

/** How what is read is checked unless asked otherwise. */
export const DEFAULT_VERIFY = 'hash'

/**
 * Blocks of fewer bytes are stored as they are, 128 bytes. Of pieces that long, zstd makes
 * 63 % small enough, and all of them together 12.6 % smaller; of 96 bytes 38 % and
 * 6.1 %, of 64 bytes 6 % and 1.1 % (bench/blockstore.ts).
 */
export const DEFAULT_MIN_SIZE = 128

/**
 * The most bytes of a block, 16 MiB: what a frame may hold, and far above the 2 MiB
 * that Bitswap carries.
 */
export const DEFAULT_MAX_BLOCK_SIZE = MAX_FRAME_SIZE

/** The least part of its bytes that compressing a block must save (docs/format.md, section 5). */
export const MIN_GAIN = 0.05

/** The marker code of bytes that are wrapped and stored as they are (docs/format.md, section 1). */
export const IDENTITY_CODE = 0x3f5a0f

/** The first of the sixteen marker codes (docs/format.md, section 1). */
export const FIRST_MARKER_CODE = 0x3f5a00

/**
 * The fewest bytes of a digest that a block is compared with: shorter ones are easily
 * met by other bytes. boxo and multiformats draw the line there too.
 */
export const MIN_DIGEST_LENGTH = 20

/** Of how many blocks it is remembered that they do not begin like an envelope: 16 GiB of 1 MiB, in some 2 MB. */
export const MAX_ORDINARY_BLOCKS = 16_384

/** The most bytes of a digest by which a block is remembered: those of sha2-512. An identity CID may have any number. */
export const MAX_REMEMBERED_DIGEST_LENGTH = 64

/** How many blocks of a batch are compressed ahead of the child that stores them, at most. */
export const MAX_PUT_AHEAD = 8

/** How many blocks are converted at one time unless asked otherwise. */
export const DEFAULT_CONVERT_CONCURRENCY = 4
