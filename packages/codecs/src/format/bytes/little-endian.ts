/** Read an unsigned 32-bit little-endian integer. The caller has checked the bounds. */
export function readUint32 (bytes: Uint8Array, position: number): number {
  return (bytes[position] | bytes[position + 1] << 8 | bytes[position + 2] << 16 | bytes[position + 3] << 24) >>> 0
}

/** Write the low 16 bits of an integer, little-endian. */
export function writeUint16 (bytes: Uint8Array, position: number, value: number): void {
  bytes[position] = value
  bytes[position + 1] = value >>> 8
}

/** Write an unsigned 32-bit little-endian integer. */
export function writeUint32 (bytes: Uint8Array, position: number, value: number): void {
  bytes[position] = value
  bytes[position + 1] = value >>> 8
  bytes[position + 2] = value >>> 16
  bytes[position + 3] = value >>> 24
}
