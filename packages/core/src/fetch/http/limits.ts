const KIB = 1024
const MIB = 1024 * KIB

/** The most bytes of a block, as Bitswap, Helia and Kubo accept, 2 MiB. */
export const MAX_BLOCK_SIZE = 2 * MIB

/** The most bytes of a CID in a CAR, 256: a digest of 512 bits takes 70. */
export const MAX_CID_SIZE = 256

/** The most bytes of a CAR's header, 64 KiB. An honest one has a root or two. */
export const MAX_CAR_HEADER_SIZE = 64 * KIB

/** The most bytes of blocks that one source holds before they are asked for, 16 MiB. */
export const MAX_EARLY_BYTES = 16 * MIB

/**
 * The most bytes of blocks that a response may bring while others are waited for, 4 MiB. After that, it is assumed not
 * to bring those: it has another file, or goes through blocks that are stored here already.
 */
export const MAX_STRAY_BYTES = 4 * MIB

/** The least that a block counts against these limits, 1 KiB: what it takes however small it is. */
export const MIN_BLOCK_COST = KIB

/** The most files below one root whose blocks are streamed at a time. Blocks of others are fetched one by one. */
export const MAX_STREAMS = 8

/** The most requests for single blocks at a time. */
export const MAX_RAW_REQUESTS = 16

/** The most redirects in a row: to https, and to a subdomain. */
export const MAX_REDIRECTS = 3

/** After this time without an answer, the next gateway is asked too, a second in milliseconds. */
export const DEFAULT_HEDGE_TIME = 1000

/**
 * Several gateways send parts of one file if one of them alone would take this much longer, a second in milliseconds.
 * A small file costs one request.
 */
export const EARLIEST_SPLIT = 1000

/** A rate counts when it was measured for 200 milliseconds, or with 1 MiB. */
export const MEASURED_AFTER = 200
export const MEASURED_BYTES = MIB

/** How long a piece takes of which others send the rest, a second in milliseconds. */
export const PIECE_TIME = 1000

/** The fewest bytes of a piece, 1 MiB: its CAR has the nodes above it again. */
export const MIN_PIECE = MIB

/** How far apart pieces of one file may be that are on their way, 32 MiB: about as far as a reader asks ahead. */
export const MAX_WINDOW = 32 * MIB

/** How far behind the first block that is waited for other gateways are asked, whether or not a reader does, 8 MiB. */
export const LOOK_AHEAD = 8 * MIB

/** The fewest bytes between two places where a piece may begin that no reader has asked for, 256 KiB. */
export const MIN_STEP = 256 * KIB

/** A gateway with less than this part of the fastest one's rate adds nothing. */
export const LEAST_SHARE = 1 / 16

/** How long a gateway is assumed to take for the first block until that is measured, in milliseconds. */
export const USUAL_LATENCY = 100

/** How often to look for gateways that let others wait, in milliseconds. */
export const CHECK_INTERVAL = 250

/** A response that brings fewer bytes than this within the stall timeout counts as stalled, 8 KiB. */
export const MIN_PROGRESS = 8 * KIB

/** A response is not judged to be slow before this part of the stall timeout has passed: by default 3 seconds. */
export const SLOW_PART = 0.3

/** Below this rate, 512 KiB/s in bytes per millisecond, another gateway is tried whose rate is unknown. */
export const SLOW_RATE = 512 * KIB / 1000

/** A gateway replaces another if it is known to be at least this many times as fast. */
export const MUCH_FASTER = 2

/** How often a call asks each gateway that fails. */
export const MAX_ATTEMPTS = 3

/** The same for a gateway that has sent blocks before, if there is nothing else to ask: about half a minute. */
export const MAX_ATTEMPTS_OF_KNOWN = 30

/** How often in a row a gateway may answer that it lacks a block below a root before it is no longer asked. */
export const MAX_REFUSALS = 8

/** The first and the longest pause after a failure of a gateway, in milliseconds. Doubles each time. */
export const FIRST_PAUSE = 250
export const LONGEST_PAUSE = 30_000

/** The longest pause of a gateway that has sent blocks, in milliseconds: perhaps the link was only cut for a while. */
export const LONGEST_PAUSE_OF_KNOWN = 1000

/** The longest that a gateway's Retry-After is respected, 5 minutes in milliseconds. */
export const LONGEST_RETRY_AFTER = 300_000

/** The longest that a call waits until a gateway may be asked again, 10 seconds in milliseconds. */
export const LONGEST_WAIT = 10_000

/** How many blocks that a response brought are remembered. */
export const MAX_DELIVERED = 4096

/** After this many failures in a row to get a CAR of a file, its blocks are fetched one by one. */
export const MAX_FAILED_OPENS = 2
