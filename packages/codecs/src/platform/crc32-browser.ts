import CRC32 from 'crc-32'

/** The CRC-32 of gzip (RFC 1952). In a file of its own: pages without gzip and lzo do not load the table. */
export function crc32 (bytes: Uint8Array): number {
  return CRC32.buf(bytes) >>> 0
}
