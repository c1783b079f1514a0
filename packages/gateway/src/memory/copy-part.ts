/** A copy, which keeps nothing of the rest. The `slice` of Node's Buffer is none. */
export function copyPart (bytes: Uint8Array, start: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes, start, end)
}
