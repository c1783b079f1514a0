/** The version of the wire format, in every protocol id. */
export const VERSION = '1.0.0'

/** The most bytes that a compressed frame decodes to. */
export const MAX_FRAME_SIZE = 64 * 1024

/** The most bytes that are put into one frame as they are. Receivers take any length: they need not wait for its end. */
export const SENT_STORED_SIZE = 256 * 1024

/** How many bytes a compressed frame may be longer than what it decodes to. */
export const MAX_EXPANSION = 1024

/**
 * How many times its bytes on the wire a connection may decode to, and how many bytes
 * beyond. Text comes to 3 to 20, so only what is nearly all the same is held back.
 */
export const MAX_RATIO = 128
export const RATIO_ALLOWANCE = 64 * 1024

/** Less than this is stored, and not waited for: flushing costs about as much as is saved. In bytes. */
export const MIN_COMPRESSED_SIZE = 64

/** Over how many bytes it is measured whether they shrink. */
export const MEASURED_BYTES = 256 * 1024

/** More than this of what was given (stored / original) is not worth the time. */
export const MAX_WORTHWHILE_RATIO = 0.95

/** After how many stored bytes a sample of what follows is looked at. */
export const SAMPLE_INTERVAL = 512 * 1024

/** How many bytes are looked at, in so many pieces. */
export const SAMPLE_SIZE = 4 * 1024
export const SAMPLE_PIECES = 4

/**
 * After how many stored bytes one frame is tried again, the first time and at most:
 * where the sample looks as if it shrank, and where it does not.
 */
export const TRIAL_INTERVALS = { promising: [256 * 1024, 8 * 1024 * 1024], hopeless: [2 * 1024 * 1024, 64 * 1024 * 1024] } as const

/** Writers are told to wait at this many bytes that wait to be compressed, and to go on at that many. */
export const SEND_HIGH_WATER = 256 * 1024
export const SEND_LOW_WATER = 64 * 1024

/** The other side is told to wait at this many bytes that wait to be decompressed, and to go on at that many. */
export const RECEIVE_HIGH_WATER = 256 * 1024
export const RECEIVE_LOW_WATER = 64 * 1024

/** How far back zstd looks, as a power of two: 1 MiB. Also the most that a receiver agrees to keep. */
export const ZSTD_WINDOW_LOG = 20

/** @see {@link CompressInit.level} */
export const DEFAULT_LEVELS = { zstd: 1, gzip: 3, lz4: 1 } as const
