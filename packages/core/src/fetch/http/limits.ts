const KIB = 1024
const MIB = 1024 * KIB

/** Maximum bytes of a block, as Bitswap, Helia and Kubo accept, 2 MiB. */
export const MAX_BLOCK_SIZE = 2 * MIB

/** Maximum bytes of a CID in a CAR, 256: a digest of 512 bits takes 70. */
export const MAX_CID_SIZE = 256

/** Maximum bytes of a CAR's header, 64 KiB. An honest one has a root or two. */
export const MAX_CAR_HEADER_SIZE = 64 * KIB

/** Maximum bytes of blocks that one source holds before they are asked for, 16 MiB. */
export const MAX_EARLY_BYTES = 16 * MIB

/**
 * Maximum bytes of blocks that a response may bring while others are waited for, 4 MiB. After that, it is assumed not
 * to bring those: it has another file, or goes through blocks that are stored here already.
 */
export const MAX_STRAY_BYTES = 4 * MIB

/** The least that a block counts against these limits, 1 KiB: what it takes however small it is. */
export const MIN_BLOCK_COST = KIB

/** Maximum files below one root whose blocks are streamed at a time. Blocks of others are fetched one by one. */
export const MAX_STREAMS = 8

/** Maximum requests for single blocks at a time. */
export const MAX_RAW_REQUESTS = 16

/** Maximum redirects in a row: to https, and to a subdomain. */
export const MAX_REDIRECTS = 3

/** A rate counts when it was measured for `MEASURED_AFTER`, or with 1 MiB. */
export const MEASURED_BYTES = MIB

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

/** How often a call asks each gateway that fails. */
export const MAX_ATTEMPTS = 3

/** The same for a gateway that has sent blocks before, if there is nothing else to ask: about half a minute. */
export const MAX_ATTEMPTS_OF_KNOWN = 30

/** How often in a row a gateway may answer that it lacks a block below a root before it is no longer asked. */
export const MAX_REFUSALS = 8

/** How many blocks that a response brought are remembered. */
export const MAX_REMEMBERED = 4096

/** After this many CARs of a file in a row that did not come, or brought other blocks, its blocks come one by one. */
export const MAX_FAILED_OPENS = 2

/**
 * How often in a row a gateway may cut its response before a call no longer asks it, if it sends no block meanwhile. It
 * can be reached: what cuts one response after a while cuts the next one, too.
 */
export const MAX_CUTS = 4
