/**
 * The marker code of each codec of the format: the private-use multicodec that
 * says "a UnixFS file whose content is frames of this codec" (docs/format.md,
 * section 1).
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
 * The most original bytes that a frame may hold, 16 MiB. Nothing larger is
 * compressed or decompressed, which is what bounds the memory of a reader
 * (docs/format.md, section 2).
 */
export const MAX_FRAME_SIZE = 16 * 1024 * 1024
