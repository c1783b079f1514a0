const KIB = 1024
const MIB = 1024 * KIB

/** Original bytes in every frame but the last, 4 MiB. */
export const DEFAULT_FRAME_SIZE = 4 * MIB

/** The least original bytes that a frame may be made to hold, 64 KiB. */
export const MIN_FRAME_SIZE = 64 * KIB

/** The most bytes in a leaf, 1 MiB: the largest block that every node takes. */
export const MAX_LEAF_SIZE = MIB

/** The most bytes of a raw original that a linked file is compared with, 2 MiB: the largest block that Bitswap sends. */
export const MAX_RAW_ORIGINAL = 2 * MIB

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

/**
 * A file that ends within this many bytes is read without waiting for room, 64 KiB:
 * the importer reads 50 files at one time, which is less than the room for one frame.
 */
export const SMALL_FILE_SIZE = 64 * KIB

/** The most names in a path that is added: about what paths of 4 KiB allow. */
export const MAX_PATH_DEPTH = 1024

/** How many blocks are written to the blockstore at one time. */
export const DEFAULT_BLOCK_WRITE_CONCURRENCY = 8

/** How many blocks of a file are read at one time, ahead of what was asked for. */
export const DEFAULT_BLOCK_READ_CONCURRENCY = 8

/**
 * Whoever goes on reading small blocks has more of them read ahead, up to so many, as
 * long as all of them together are no more than 8 MiB: eight of Kubo's leaves of 256 KiB
 * do not keep a disk busy.
 */
export const MAX_SMALL_BLOCKS_AHEAD = 128
export const SMALL_BLOCKS_AHEAD_SIZE = 8 * MIB

/** How much is asked of others ahead of what has arrived, as the time in which it arrives, 2 seconds in milliseconds. */
export const DEFAULT_FETCH_AHEAD = 2000

/**
 * The most bytes that are asked of others and have not arrived, and that one call
 * holds of blocks and links whose turn has not come, 32 MiB.
 */
export const DEFAULT_FETCH_BYTES = 32 * MIB

/** When a block is asked for again that did not come, 10 seconds in milliseconds. */
export const DEFAULT_STALL_TIMEOUT = 10_000

/** How long reading goes on while no block comes, a minute in milliseconds. */
export const DEFAULT_FETCH_TIMEOUT = 60_000

/** The most blocks that are asked of others at one time, however small they are. Helia's Bitswap keeps 1,024 wants of a peer. */
export const MAX_FETCH_BLOCKS = 256

/** What a dag-pb block is taken to have before it is here, 32 KiB: most are nodes of links. */
export const NODE_SIZE_GUESS = 32 * KIB

/** The most bytes of a leaf that others made, 2 MiB: what holds more of a file is taken for a node of links. */
export const MAX_FOREIGN_LEAF_SIZE = 2 * MIB

/** What a block that is asked for before its turn counts for at least, 8 KiB: so many bytes are around it, however small it is. */
export const MIN_HELD_SIZE = 8 * KIB

/** The most bytes that are held of the links of the nodes above one block, 32 MiB: an honest file or directory has less than 1. */
export const MAX_OPEN_LINKS_SIZE = 32 * MIB

/** How long a Kubo may take to put a block, or to give one that it has, a minute in milliseconds. */
export const DEFAULT_KUBO_TIMEOUT = 60_000

/** How long a Kubo may take to pin something, 10 minutes in milliseconds. */
export const DEFAULT_KUBO_PIN_TIMEOUT = 600_000

/** The fewest bytes of a digest that a block is compared with: shorter ones are easily met by other bytes. boxo and multiformats draw the line there too. */
export const MIN_DIGEST_LENGTH = 20

/** The most bytes of an identity CID that has links, as boxo has it of all: such CIDs in each other would take memory with the square of their length. */
export const MAX_IDENTITY_LENGTH = 128

/** How deep below its root a file is read. Balanced DAGs of 1,024 links need four levels for an exabyte. */
export const MAX_DAG_DEPTH = 64

/** How deep below its root a tree is verified, directories and their shards counted: each level takes about 2 KiB of memory. */
export const MAX_TREE_DEPTH = 16_384

/** Of how many paths below a CID it is kept where they lead. */
export const MAX_CACHED_PATHS = 256

/** Of how many directories it is kept that they have been verified: those that are linked again are not walked again. */
export const MAX_REMEMBERED_DIRECTORIES = 65_536

/** Above this many bytes of names and CIDs a directory is sharded, 256 KiB, as ipfs-unixfs-importer does it. */
export const DEFAULT_SHARD_SPLIT_THRESHOLD = 256 * KIB

/** The most children of a shard of a directory. Kubo and Helia make shards of 256. */
export const MAX_SHARD_FANOUT = 65_536

/** The most entries of a sharded directory that are not where the hashes of their names say: those have to be remembered. */
export const MAX_MISPLACED_ENTRIES = 65_536

/** How many roots of files are kept decoded, for the next range of the same file. */
export const MAX_CACHED_ROOTS = 16

/** The most bytes that these take, 8 MiB. One is kept however large it is. */
export const MAX_CACHED_ROOTS_SIZE = 8 * MIB

/** The most frames of a seek table that another tool made, 1,048,576: larger tables are left alone. */
export const MAX_SEEK_TABLE_FRAMES = 1024 * 1024

/** The codec that compresses unless asked otherwise. */
export const DEFAULT_CODEC = 'zstd'

/** What `auto` makes least where nothing else is asked for. */
export const DEFAULT_OPTIMIZE = 'balanced'

/** The least part of its bytes that compressing a file must save. */
export const MIN_GAIN = 0.05

/** How many of a file's first bytes the detector sees. */
export const DETECTION_SAMPLE_SIZE = 4 * KIB
