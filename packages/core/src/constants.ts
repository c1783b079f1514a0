const KIB = 1024
const MIB = 1024 * KIB

/** Original bytes in every frame but the last, 4 MiB. */
export const DEFAULT_FRAME_SIZE = 4 * MIB

/** The least original bytes that a frame may be made to hold, 64 KiB. */
export const MIN_FRAME_SIZE = 64 * KIB

/** The most bytes in a leaf, 1 MiB: the largest block that every node takes. */
export const MAX_LEAF_SIZE = MIB

/** The most links in a node, as in the `unixfs-v1-2025` profile. */
export const MAX_LINKS = 1024

/** A stream of at most this many bytes lies in the root itself, 64 KiB. */
export const MAX_INLINE_SIZE = 64 * KIB

/**
 * The most bytes that the lengths of all frames may take in the header, 896 KiB.
 * With 1,024 links that keeps the root below 1 MiB, the largest block that every
 * node takes, and allows at least 229,376 frames: 896 GiB with frames of 4 MiB.
 */
export const MAX_FRAME_TABLE_SIZE = 896 * KIB

/**
 * The most original bytes in the frames that are compressed or decompressed at
 * one time, 32 MiB. There are always at least two, whatever their size.
 */
export const DEFAULT_IN_FLIGHT_BYTES = 32 * MIB

/** How many blocks are written to the blockstore at one time. */
export const DEFAULT_BLOCK_WRITE_CONCURRENCY = 8

/** How many blocks of a file are read at one time, ahead of what was asked for. */
export const DEFAULT_BLOCK_READ_CONCURRENCY = 8

/** How deep below its root a file is read. Balanced DAGs of 1,024 links need four levels for an exabyte. */
export const MAX_DAG_DEPTH = 64

/** The codec that compresses unless asked otherwise. */
export const DEFAULT_CODEC = 'zstd'

/** The least part of its bytes that compressing a file must save. */
export const MIN_GAIN = 0.05

/** How many of a file's first bytes the detector sees. */
export const DETECTION_SAMPLE_SIZE = 4 * KIB
