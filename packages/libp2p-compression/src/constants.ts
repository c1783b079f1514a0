/** The version of the wire format, in every protocol id. */
export const VERSION = '1.0.0'

/** Maximum number of bytes that a compressed frame decodes to. */
export const MAX_FRAME_SIZE = 64 * 1024

/** Maximum bytes of a stored frame that we send. Receivers take any length: they pass bytes on as they arrive. */
export const SENT_STORED_SIZE = 256 * 1024

/** How many bytes longer than its content a compressed frame may be. */
export const MAX_EXPANSION = 1024

/**
 * Frames may decode to MAX_RATIO times their bytes on the wire, plus RATIO_ALLOWANCE bytes.
 * Text reaches 3 to 20 times, so this slows down only content that is nearly uniform.
 */
export const MAX_RATIO = 128
export const RATIO_ALLOWANCE = 64 * 1024

/** Fewer bytes are sent stored, at once: flushing the compressor would cost about as much as it saves. */
export const MIN_COMPRESSED_SIZE = 64

/** How many bytes to measure to see whether they shrink. */
export const MEASURED_BYTES = 256 * 1024

/** Above this ratio (compressed / original) compressing is not worth the time. */
export const MAX_WORTHWHILE_RATIO = 0.95

/** How many stored bytes to send between two samples. */
export const SAMPLE_INTERVAL = 512 * 1024

/** Bytes in a sample, and the number of pieces that they come from. */
export const SAMPLE_SIZE = 4 * 1024
export const SAMPLE_PIECES = 4

/**
 * After how many stored bytes to try compressing one frame again: the first interval, and the
 * longest. `promising` applies if the sample looks compressible, `hopeless` if not.
 */
export const TRIAL_INTERVALS = {
  promising: [256 * 1024, 8 * 1024 * 1024],
  hopeless: [2 * 1024 * 1024, 64 * 1024 * 1024]
} as const

/** Writers have to wait at SEND_HIGH_WATER bytes that are not compressed yet, and may go on at SEND_LOW_WATER. */
export const SEND_HIGH_WATER = 256 * 1024
export const SEND_LOW_WATER = 64 * 1024

/** The inner stream pauses at RECEIVE_HIGH_WATER bytes not yet decompressed, and resumes at RECEIVE_LOW_WATER. */
export const RECEIVE_HIGH_WATER = 256 * 1024
export const RECEIVE_LOW_WATER = 64 * 1024

/**
 * What an inner stream of a protocol buffers at least while it is paused, 16 MiB: the largest window of @libp2p/yamux
 * by default. By itself it buffers a fourth of that.
 */
export const MIN_INNER_BUFFER = 16 * 1024 * 1024

/** The window of zstd as a power of two: 1 MiB. Receivers refuse larger ones. */
export const ZSTD_WINDOW_LOG = 20

/** @see {@link CompressInit.level} */
export const DEFAULT_LEVELS = { zstd: 1, gzip: 3, lz4: 1 } as const
