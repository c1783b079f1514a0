// Room: numbers in bytes.

/** Read an unsigned 32-bit big-endian integer. The caller has checked the bounds. */
export function readUint32 (bytes: Uint8Array, position: number): number {
  return (bytes[position] << 24 | bytes[position + 1] << 16 | bytes[position + 2] << 8 | bytes[position + 3]) >>> 0
}

/** Write an unsigned 32-bit big-endian integer. */
export function writeUint32 (bytes: Uint8Array, position: number, value: number): void {
  bytes[position] = value >>> 24
  bytes[position + 1] = value >>> 16
  bytes[position + 2] = value >>> 8
  bytes[position + 3] = value
}
