// Above 250 lines: all bounds and times of the package are one list, so that they can be compared.
const KIB = 1024
const MIB = 1024 * KIB

/** Original bytes in every frame but the last, 4 MiB. */
export const DEFAULT_FRAME_SIZE = 4 * MIB

/** The smallest allowed frame, 64 KiB of original bytes. */
export const MIN_FRAME_SIZE = 64 * KIB

/** Original bytes in a frame of a file that is read in small parts, 64 KiB. Measured: docs/guide/datasets.md. */
export const RANGES_FRAME_SIZE = 64 * KIB

/** Maximum bytes of a leaf that frames of such a file share, 64 KiB. Measured: docs/guide/datasets.md. */
export const RANGES_LEAF_SIZE = 64 * KIB

/** How many bytes of such a file are tried, 1 MiB: its first frame alone says little about the others. */
export const RANGES_SAMPLE_SIZE = MIB

/** Maximum bytes in a leaf, 1 MiB: the largest block that every node accepts. */
export const MAX_LEAF_SIZE = MIB

/** Maximum bytes of a raw original that a linked file is compared with, 2 MiB: Bitswap's largest block. */
export const MAX_RAW_ORIGINAL = 2 * MIB

/** Maximum links in a node, as in the `unixfs-v1-2025` profile. */
export const MAX_LINKS = 1024

/**
 * The fewest bytes in the region of a base: zstd ignores shorter dictionaries. The most are those of a frame, 16
 * MiB.
 */
export const MIN_REGION_SIZE = 8

/** Maximum bytes in all regions of a file together, as a multiple of its size; 1 MiB is allowed in addition. */
export const REGION_RATIO = 4

/** Maximum stored bytes of a base, 4 GiB - 1: those that a skippable frame can hold. */
export const MAX_STORED_BASE_SIZE = 2 ** 32 - 1

/**
 * Original bytes in a frame of a file with a base, 512 KiB: with larger ones, zstd finds less in the base, and takes
 * longer, because its tables do not fit into a processor's cache. With smaller ones, reading takes longer: the
 * regions of more frames are loaded.
 */
export const BASED_FRAME_SIZE = 512 * KIB

/**
 * The least level of a file with a base, unless one is named: 3 takes as long for a frame of 512 KiB, and makes a
 * fourth more. For files of up to 256 KiB, it takes half the time, and makes 8 to 10 % more.
 */
export const BASED_LEVEL = 7

/**
 * The level of files of which most is not in their dictionary, unless one is named: for 400 RFCs, 7 takes 1.6 times as
 * long, and makes 1.3 % fewer bytes. Where most is in the dictionary, 6 makes 3 % more in hardly less time.
 */
export const THIN_DICTIONARY_LEVEL = 6

/**
 * The same for those of more than 16 KiB, which take most of the time: 6 takes a quarter longer, and makes 2 % fewer
 * bytes. Of smaller ones it makes 4 % fewer.
 */
export const THIN_LARGE_LEVEL = 5
export const THIN_LARGE_SIZE = 16 * KIB

/**
 * The level at which zstd finds the longest match in a base although the bytes that it begins with are in many other
 * places too, as in tables of few words: 4 MB of 64 words, edited in a hundred places, take 1.3 kB, and 799 kB at level
 * 7. It takes ten times as long, so it is only tried where level 7 fails.
 */
export const SEARCHING_LEVEL = 16

/** A stream of at most this many bytes is stored in the root block itself, 64 KiB. */
export const MAX_INLINE_SIZE = 64 * KIB

/**
 * Maximum bytes that all frame lengths may take in the header, 896 KiB. With 1,024 links this keeps the root below
 * 1 MiB, the largest block that every node accepts. It allows at least 229,376 frames, 896 GiB in frames of 4 MiB; a
 * table after the frames lists more.
 */
export const MAX_FRAME_TABLE_SIZE = 896 * KIB

/**
 * The same in a file that is cut by content or has a base, and so has version 2 in any case, 64 KiB: with more, a table
 * after the frames lists them, which is read in part.
 */
export const SMALL_FRAME_TABLE_SIZE = 64 * KIB

/**
 * Maximum original bytes in the frames that are compressed or decompressed at a time,
 * 32 MiB. At least two frames are always in progress, whatever their size.
 */
export const DEFAULT_IN_FLIGHT_BYTES = 32 * MIB

/**
 * Files smaller than this are read without reserving memory, 64 KiB: the importer reads 50
 * files at a time, and together they are smaller than one frame of the default size.
 */
export const SMALL_FILE_SIZE = 64 * KIB

/** Maximum names in an added path: about what a path of 4 KiB allows. */
export const MAX_PATH_DEPTH = 1024

/** How many blocks are written to the blockstore at a time. */
export const DEFAULT_BLOCK_WRITE_CONCURRENCY = 8

/** How many blocks of a file are read ahead at a time. */
export const DEFAULT_BLOCK_READ_CONCURRENCY = 8

/**
 * A reader that keeps taking small blocks gets up to this many read ahead, as long as they
 * take at most 8 MiB together: eight of Kubo's 256 KiB leaves do not keep a disk busy.
 */
export const MAX_SMALL_BLOCKS_AHEAD = 128
export const SMALL_BLOCKS_AHEAD_SIZE = 8 * MIB

/** How far ahead blocks are requested from peers, as the time that they take to arrive: 2 seconds in milliseconds. */
export const DEFAULT_FETCH_AHEAD = 2000

/**
 * Maximum bytes, 32 MiB, that are requested from peers and have not arrived. Also the maximum
 * bytes of blocks and links that one call holds before it can yield them.
 */
export const DEFAULT_FETCH_BYTES = 32 * MIB

/** Maximum blocks requested at a time, however small. Helia's Bitswap keeps 1,024 wants of a peer. */
export const MAX_FETCH_BLOCKS = 256

/** The assumed size of a dag-pb block before it arrives, 32 KiB: most are inner nodes. */
export const NODE_SIZE_GUESS = 32 * KIB

/** Maximum bytes of a leaf written by other software, 2 MiB. A link to more is assumed to lead to an inner node. */
export const MAX_FOREIGN_LEAF_SIZE = 2 * MIB

/** The least that a block read ahead counts against the memory bound, 8 KiB: what it takes however small it is. */
export const MIN_HELD_SIZE = 8 * KIB

/** Maximum bytes of links held in the nodes above one block, 32 MiB: an honest DAG needs less than 1 MiB. */
export const MAX_OPEN_LINKS_SIZE = 32 * MIB

/** How long Kubo may take to store a block, or to return one that it has, a minute in milliseconds. */
export const DEFAULT_KUBO_TIMEOUT = 60_000

/** How long Kubo may take to pin a DAG, 10 minutes in milliseconds. */
export const DEFAULT_KUBO_PIN_TIMEOUT = 600_000

/** The fewest bytes a digest must have. Shorter ones collide too easily; boxo and multiformats have the same limit. */
export const MIN_DIGEST_LENGTH = 20

/** Maximum bytes in an identity CID with links, as in boxo. Nested larger ones would need quadratic memory. */
export const MAX_IDENTITY_LENGTH = 128

/** How many levels below its root a file is read. A balanced DAG of 1,024 links needs four for an exabyte. */
export const MAX_DAG_DEPTH = 64

/** How many levels below its root a tree is verified, shards included. Each level takes about 2 KiB of memory. */
export const MAX_TREE_DEPTH = 16_384

/** How many resolved paths are cached. */
export const MAX_CACHED_PATHS = 256

/** How many verified directories are remembered, so that a directory linked twice is walked once. */
export const MAX_REMEMBERED_DIRECTORIES = 65_536

/** How many verified bases are remembered, so that one that many files have is verified once. */
export const MAX_REMEMBERED_BASES = 65_536

/** A directory with more bytes of names and CIDs than this is sharded, 256 KiB, as in ipfs-unixfs-importer. */
export const DEFAULT_SHARD_SPLIT_THRESHOLD = 256 * KIB

/** Maximum children of a directory shard. Kubo and Helia write shards of 256. */
export const MAX_SHARD_FANOUT = 65_536

/** Maximum entries of a sharded directory outside the shard that their hash names: each must be remembered. */
export const MAX_MISPLACED_ENTRIES = 65_536

/** Maximum number of bytes of their names, 16 MiB: two per character. */
export const MAX_MISPLACED_NAMES_SIZE = 16 * MIB

/** Maximum links that are read to look up those entries, 67 million: about two minutes. */
export const MAX_MISPLACED_LOOKUPS = 2 ** 26

/** How many decoded roots of files, and directories above them, are cached. */
export const MAX_CACHED_ROOTS = 16

/** Maximum original bytes of the bases that are cached, 4 MiB: of eight dictionaries and more. */
export const MAX_CACHED_CONTENTS_SIZE = 4 * MIB

/** Maximum original bytes of a base that is cached as a whole, 512 KiB: all dictionaries that this software makes. */
export const MAX_CACHED_CONTENT_SIZE = 512 * KIB

/** Maximum bytes that the cached roots take, 8 MiB. The newest is kept whatever its size. */
export const MAX_CACHED_ROOTS_SIZE = 8 * MIB

/** Maximum frames in a seek table written by another tool, 1,048,576. Larger tables are ignored. */
export const MAX_SEEK_TABLE_FRAMES = 1024 * 1024

/** The codec that compresses unless another is chosen. */
export const DEFAULT_CODEC = 'zstd'

/** What `auto` minimizes unless something else is chosen. */
export const DEFAULT_OPTIMIZE = 'balanced'

/** The smallest saving, as a fraction of the file, that makes compression worthwhile. */
export const MIN_GAIN = 0.05

/** How many of a file's first bytes the detector sees. */
export const DETECTION_SAMPLE_SIZE = 4 * KIB

/** Bytes of decompressed frames that are kept to serve blocks of originals from, 64 MiB. */
export const DEFAULT_DECODED_CACHE = 64 * MIB

/** How many frames are decompressed at a time to serve blocks of originals, and how many may wait for that. */
export const DEFAULT_DECODE_CONCURRENCY = 2
export const DEFAULT_WAITING_DECODES = 256

/** Original bytes of frames that are decompressed in a second to serve blocks of originals, 128 MiB. */
export const DEFAULT_DECODE_RATE = 128 * MIB

// The times of a fetch, in milliseconds, the longest first: after which silence (StallDetector in `fetch/`) what is
// done. A longer time is what is left when all that comes before it has not helped.

/** Nothing has arrived below a root for a minute: the read ends. */
export const DEFAULT_FETCH_TIMEOUT = 60_000

/** A block has not arrived for 10 seconds: all sources are asked for it. Also a gateway, if there is nothing else. */
export const DEFAULT_STALL_TIMEOUT = 10_000

/**
 * A gateway or a peer that serves HTTP is silent for 5 seconds, and others can be asked: it counts as stalled. This is
 * less than the time after which all sources are asked for the same block: that would end its requests before it
 * counts, and every read would wait for it anew.
 */
export const SOURCE_STALL_TIMEOUT = DEFAULT_STALL_TIMEOUT / 2

/** A peer that has sent blocks over Bitswap sends none for 8 seconds: another peer is asked. */
export const PEER_STALL_TIMEOUT = 8000

/** The same for a peer that has never sent a block, 3 seconds. */
export const SILENT_PEER_TIMEOUT = 3000

/** A block that stalled before has stalled again after 2.5 seconds. Doubles each time. */
export const STALLED_AGAIN = 2500

/** Nothing has come for a second: the next gateway, and for the first block of all the next source, is asked too. */
export const DEFAULT_HEDGE_TIME = 1000

/** How often to look for gateways that let others wait, and for peers that serve HTTP. */
export const STALL_CHECK_INTERVAL = 250

/** Less than 8 KiB of a response do not end the silence of a gateway. */
export const MIN_PROGRESS = 8 * KIB

/** Below this rate, 512 KiB/s in bytes per millisecond, another gateway is tried whose rate is unknown. */
export const SLOW_RATE = 512 * KIB / 1000

/** A gateway replaces another if it is known to be at least this many times as fast. */
export const MUCH_FASTER = 2

/** A response is not judged to be slow before this part of the stall timeout has passed: by default 3 seconds. */
export const SLOW_PART = 0.3

// What the pieces of a file are measured by that several gateways send.

/**
 * Several gateways send parts of one file if one of them alone would take a second longer. A small file costs one
 * request.
 */
export const EARLIEST_SPLIT = 1000

/** A connection is as fast as it gets after half a second: before, a file seems to take several times as long. */
export const SETTLED_AFTER = 500

/** How long a piece takes of which others send the rest, a second. */
export const PIECE_TIME = 1000

/** A rate counts when it was measured for 200 milliseconds. */
export const MEASURED_AFTER = 200

/** How long a gateway is assumed to take for the first block until that is measured. */
export const USUAL_LATENCY = 100

// When what failed is asked again.

/**
 * The first and the longest wait until a block is requested again. Helia's Bitswap takes 10 ms to forget a request, and
 * does not repeat it before.
 */
export const FIRST_RETRY = 250
export const LONGEST_RETRY = 1000

/** The first and the longest pause after a failure of a gateway. Doubles each time. */
export const FIRST_PAUSE = 250
export const LONGEST_PAUSE = 30_000

/** The longest pause of a gateway that has sent blocks: perhaps the link was only cut for a while. */
export const LONGEST_PAUSE_OF_KNOWN = 1000

/** The longest that a gateway's Retry-After is respected, 5 minutes. */
export const LONGEST_RETRY_AFTER = 300_000

/** The longest that a call waits until a gateway may be asked again, 10 seconds. */
export const LONGEST_WAIT = 10_000

/** How long a source that kept silent, while another one sent the block, is asked last: 5 minutes. */
export const DEMOTED_FOR = 300_000
