/** How long connecting may take, TLS included, in milliseconds. @default */
export const DEFAULT_CONNECT_TIMEOUT = 3000

/** How long a store may think before its answer begins, in milliseconds. @default */
export const DEFAULT_RESPONSE_TIMEOUT = 30_000

/** How often a request may stall, at an endpoint that accepted it, before it fails if there is no other endpoint. */
export const MAX_STALLS = 2

/** The bytes of a body that are handed to the system at a time. It takes as many again before any is on its way. */
export const PIECE_SIZE = 64 * 1024

/** How long a transfer may make no progress, and headers may take that have begun, in milliseconds. @default */
export const DEFAULT_PROGRESS_TIMEOUT = 10_000

/** The bytes that count as progress: slower than that is a stall, whatever trickles in. */
export const MIN_PROGRESS = 4096

/**
 * How long a request may take with all its attempts, besides what its bytes take at `MIN_RATE`, in milliseconds.
 *
 * @default
 */
export const DEFAULT_TOTAL_TIMEOUT = 120_000

/**
 * Bytes per second below which one transfer stalls, after its first interval: a quarter of `MIN_RATE`, because those
 * that share a slow link do not get the same of it.
 */
export const SLOWEST_RATE = 2 * 1024

/** Bytes per second. At that rate, 16 blocks of 1 MiB at a time need a link of 1 Mbit/s. */
export const MIN_RATE = 8 * 1024

/** How often a request is sent in all. @default */
export const DEFAULT_ATTEMPTS = 6

/** Connections to one endpoint at a time. Further requests wait for one. @default */
export const DEFAULT_MAX_CONNECTIONS = 32

/** Maximum number of bytes of an object that `get` reads into memory, 64 MiB. @default */
export const DEFAULT_MAX_OBJECT_SIZE = 64 * 1024 * 1024

/** Bytes of a listing: 1,000 keys of 1,024 bytes, each written as `%XX`, and what surrounds them, 8 MiB. */
export const MAX_LISTING_SIZE = 8 * 1024 * 1024

/** Bytes of an error that are read, 64 KiB. */
export const MAX_ERROR_SIZE = 64 * 1024

/** The upper end of the first wait between two attempts, in milliseconds. It doubles with each attempt. */
export const BACKOFF_BASE = 100

/** The upper end of any wait between two attempts, in milliseconds. */
export const BACKOFF_MAX = 5000

/** What a `Retry-After` can make us wait, in milliseconds. */
export const MAX_RETRY_AFTER = 20_000

/** How long an endpoint that could not be reached is not asked again, in milliseconds. */
export const ENDPOINT_REST = 30_000

/** How long a connection without a request is kept, in milliseconds. Servers close theirs after a minute or later. */
export const IDLE_TIMEOUT = 20_000

/** How long before they expire temporary credentials are fetched anew, in milliseconds. As in the SDKs of AWS. */
export const REFRESH_AHEAD = 5 * 60 * 1000

/** A clock that differs by more than this can be the reason for a refusal, in milliseconds. S3 allows 15 minutes. */
export const CLOCK_TOLERANCE = 4 * 60 * 1000

/** Keys in one request to delete, and in one page of a listing: the limit of S3. */
export const MAX_KEYS = 1000

/** The longest key in bytes of UTF-8, with the prefix: the limit of S3. */
export const MAX_KEY_LENGTH = 1024

/** Blocks that a batch of S3Blockstore puts or gets at a time. @default */
export const DEFAULT_CONCURRENCY = 16

/** Maximum number of bytes of a block, 16 MiB, as in @ipfsz/blockstore-compressed. @default */
export const DEFAULT_MAX_BLOCK_SIZE = 16 * 1024 * 1024

/** Before a block of this size is sent, the store is always asked whether it has it, 64 KiB. */
export const LEAST_LOOKED_FOR = 64 * 1024

/** One smaller block in so many is looked for, whether or not others were there. */
export const SAMPLE = 16

/** When so many smaller blocks in a row were not there, they are no longer looked for. */
export const MAX_MISSES = 4

/** How many objects are remembered that the store said it does not have, or that were read. */
export const MAX_TO_SEND = 1000
