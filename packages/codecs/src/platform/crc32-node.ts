import zlib from 'node:zlib'

/** The CRC-32 of gzip (RFC 1952). */
export function crc32 (bytes: Uint8Array): number {
  return zlib.crc32(bytes)
}
