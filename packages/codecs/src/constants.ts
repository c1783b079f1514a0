/**
 * The marker code of each codec: a private-use multicodec that marks UnixFS files whose
 * content is frames of that codec (docs/format.md, section 1).
 */
export const CODES = {
  gzip: 0x3f5a01,
  lz4: 0x3f5a02,
  lzo: 0x3f5a03,
  snappy: 0x3f5a04,
  zstd: 0x3f5a05,
  brotli: 0x3f5a06
} as const

/**
 * Maximum number of uncompressed bytes in a frame, 16 MiB. Larger frames are neither made nor read, which
 * limits the memory of readers (docs/format.md, section 2).
 */
export const MAX_FRAME_SIZE = 16 * 1024 * 1024

/** The fewest bytes in a dictionary. libzstd ignores shorter ones. */
export const MIN_DICTIONARY_SIZE = 8

/** How a dictionary begins that has tables of its own (RFC 8878, section 5). libzstd does not use it as raw content. */
export const FORMATTED_DICTIONARY: readonly number[] = [0x37, 0xa4, 0x30, 0xec]

/** Maximum number of bytes in a dictionary, 16 MiB. */
export const MAX_DICTIONARY_SIZE = 16 * 1024 * 1024
